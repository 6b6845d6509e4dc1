import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { InputError, isJsonObject, Secret } from "#base";
import { parseYaml } from "#yaml";
import { authorityField, type SecretFields, serverField, type TokenQuestion, type TokenStore } from "./token-store.ts";

/**
 * Secrets in a directory, as a mounted volume has them: `<directory>/<path>/<field>`, or at `<directory>/<path>` one file
 * of YAML or JSON with all fields.
 */
export function fileTokens(directory: string): TokenStore {
  return {
    description: `the directory ${directory}`,
    async read({ reference: { path, field } }: TokenQuestion): Promise<SecretFields | undefined> {
      const place = join(directory, ...segmentsOf(path, field));
      const stats = await stat(place).catch(ignoreAbsence);
      if (!stats) return undefined;
      if (!stats.isDirectory()) return parseFields(await readFile(place, "utf8"), place);
      const names = [field, serverField, authorityField];
      const texts = await Promise.all(names.map((name) => readFile(join(place, name), "utf8").catch(ignoreAbsence)));
      // Editors and `echo` end a file with a newline, which no token has.
      const found = names.map((name, index): [string, string | undefined] => [name, texts[index]?.trimEnd()]);
      return new Map(found.flatMap(([name, text]) => (text === undefined ? [] : [[name, new Secret(text)]])));
    },
  };
}

/** The path comes from data: it must not lead out of the directory. */
function segmentsOf(path: string, field: string): string[] {
  const segments = path.split("/").filter((segment) => segment !== "");
  const isOutside = [...segments, field].some(
    (segment) => segment === ".." || segment === "." || segment.includes("\0"),
  );
  if (!isOutside && segments.length > 0 && !field.includes("/")) return segments;
  throw new InputError(`the secret's path ${path} and field ${field} do not make a valid file path`, {
    next: "write a path without .. and a field without /",
  });
}

function parseFields(text: string, file: string): SecretFields {
  const value = parseYaml(text, { file });
  if (!isJsonObject(value)) {
    throw new InputError("expected a map of fields", { where: file, next: "write one `field: value` a line" });
  }
  const fields = new Map<string, Secret>();
  for (const [name, content] of Object.entries(value)) {
    if (typeof content === "string") fields.set(name, new Secret(content));
  }
  return fields;
}

function ignoreAbsence(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return undefined;
  throw error;
}
