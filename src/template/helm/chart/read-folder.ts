import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, type Stats } from "node:fs";
import { join } from "node:path";
import { InputError } from "#base";
import { compareStrings } from "#golang";
import type { ChartFile } from "./chart.ts";
import { type IgnoreRule, readHelmIgnore } from "./helm-ignore.ts";
import { largestFile, withoutByteOrderMark } from "./read-archive.ts";

/** The files of a chart's folder that `.helmignore` does not exclude, in Helm's order. Follows symbolic links, as Helm does. */
export function readFolder(folder: string): ChartFile[] {
  const ignoreFile = join(folder, ".helmignore");
  const ignores = readHelmIgnore(existsSync(ignoreFile) ? readFileSync(ignoreFile, "utf8") : "", ignoreFile);
  const files: ChartFile[] = [];
  walk({ folder, path: "", ignores, files, parents: [realpathSync(folder)] });
  return files;
}

interface Walk {
  readonly folder: string;
  /** The path of the directory within the chart, "" or ending in a slash. */
  readonly path: string;
  readonly ignores: IgnoreRule;
  readonly files: ChartFile[];
  /** The real paths of the parent directories, to detect circular links. */
  readonly parents: readonly string[];
}

function walk({ folder, path, ignores, files, parents }: Walk): void {
  const parent = parents.at(-1) ?? folder;
  for (const name of readdirSync(join(folder, path)).toSorted(compareStrings)) {
    const within = path + name;
    const origin = join(folder, within);
    const found = lstatSync(origin);
    const real = found.isSymbolicLink() ? resolveLink(origin) : join(parent, name);
    const stats = found.isSymbolicLink() ? lstatSync(real) : found;
    if (ignores(within, stats.isDirectory())) continue;
    if (!stats.isDirectory()) files.push({ name: within, data: readChartFile(origin, stats), origin });
    else if (parents.includes(real))
      throw new InputError("the symbolic link leads to a folder that contains it", { where: origin });
    else walk({ folder, path: `${within}/`, ignores, files, parents: [...parents, real] });
  }
}

function resolveLink(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new InputError("the target of the symbolic link does not exist", {
      where: path,
      next: "remove it, or restore its target",
      cause: error,
    });
  }
}

function readChartFile(origin: string, stats: Stats): Uint8Array {
  if (!stats.isFile()) {
    throw new InputError("not a regular file", { where: origin, next: "remove it, or list it in .helmignore" });
  }
  if (stats.size > largestFile) {
    throw new InputError(`larger than the limit for a file of a chart, ${largestFile} bytes`, {
      where: origin,
      next: "list it in .helmignore if templates do not need it",
    });
  }
  return withoutByteOrderMark(readFileSync(origin));
}
