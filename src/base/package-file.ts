import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

let folder: string | undefined;

/**
 * A file or folder that Tenon reads while it runs: charts, examples, sources in Go.
 * By their path from the package's folder they are found in a checkout and as published, where all code is in other files.
 */
export function packageFile(...path: readonly string[]): string {
  folder ??= dirname(findPackageJSON(import.meta.url) ?? "");
  return join(folder, ...path);
}
