import { fileText } from "../state/text-store.ts";
import { memoryIn, type NamespaceMemory } from "./remembered-namespaces.ts";

/** Memory in a file, for a manager that runs by hand or in CI: `--state-file`. */
export function stateFile(path: string): NamespaceMemory {
  return memoryIn(fileText(path));
}
