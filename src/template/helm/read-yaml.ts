import { InputError, type JsonValue } from "#base";
import { parseYamlDocuments, readFirstYamlDocument, YamlProblem } from "#yaml";

/** Reads the first document of a file as Helm does; whatever follows it does not matter. Throws an InputError with file, line and column. */
export function readYaml(text: string, file: string): JsonValue {
  try {
    return readFirstYamlDocument(text);
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    // The other reader explains what it refuses, and takes longer.
    parseYamlDocuments(text, { file, duplicateKeys: "last-wins" });
    throw new InputError(error.message, { where: file, cause: error });
  }
}
