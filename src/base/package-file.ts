import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

let folder: string | undefined;

/**
 * A file or folder of the package that Tenon reads at run time: charts, examples, Go sources.
 * The path is relative to the package's folder, which works in a checkout and in the published package alike.
 */
export function packageFile(...path: readonly string[]): string {
  folder ??= dirname(findPackageJSON(import.meta.url) ?? "");
  return join(folder, ...path);
}
