import type { FieldPath } from "#base";
import { NeedsCarefulReading } from "./document-builder.ts";
import type { YamlLibrary } from "./node-builder.ts";
import { takeDocuments } from "./read-yaml.ts";
import { exactScalar, type Scalar } from "./resolve-scalar.ts";
import { textPositionOf, EntryPositions, type TextPosition } from "./text-position.ts";
import { YamlProblem } from "./yaml-problem.ts";
import { isYamlMap, type YamlValue } from "./yaml-value.ts";

/**
 * Where in a text the value is that `path` leads to: at its key in a map, at the item in a list.
 * Reads the text again, so it is for error messages. `undefined` if nothing is there. Of several documents, the first counts.
 */
export function locateInYaml(text: string, path: FieldPath, library: YamlLibrary = "goyaml"): TextPosition | undefined {
  const positions = new EntryPositions();
  const document = compose(text, positions, library);
  if (!document) return undefined;
  let { position }: { position: number | undefined } = document;
  let value: YamlValue<Scalar> | undefined = document.value;
  for (const step of path) {
    const container: YamlValue<Scalar> | undefined = value;
    if (container === undefined || !(Array.isArray(container) || isYamlMap(container))) return undefined;
    position = positions.find(container, step);
    if (position === undefined) return undefined;
    value = Array.isArray(container) ? container[Number(step)] : container[step];
  }
  return position === undefined ? undefined : textPositionOf(text, position);
}

function compose(text: string, positions: EntryPositions, library: YamlLibrary) {
  try {
    return takeDocuments(text, { library, leaf: exactScalar, positions }, 1)[0];
  } catch (error) {
    if (error instanceof YamlProblem || error instanceof NeedsCarefulReading) return undefined;
    throw error;
  }
}
