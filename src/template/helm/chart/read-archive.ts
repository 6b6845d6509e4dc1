import { posix } from "node:path";
import { gunzipSync } from "node:zlib";
import { InputError } from "#base";
import type { ChartFile } from "./chart.ts";
import { readTar, type TarEntry } from "./read-tar.ts";

/** Helm's limits for an unpacked chart and for one file of it. */
const largestChart = 100 * 1024 * 1024;
export const largestFile = 5 * 1024 * 1024;

const tarOverhead = 28 * 1024 * 1024;

/** Unpacks a chart made by `helm package`, in memory. Refuses links and paths outside the chart. */
export function readArchive(archive: Uint8Array, origin: string): ChartFile[] {
  try {
    return [...filesOf(unzip(archive), origin)];
  } catch (error) {
    if (!(error instanceof InputError) || error.where !== undefined) throw error;
    throw new InputError(error.what, { where: origin, ...(error.next && { next: error.next }), cause: error });
  }
}

function unzip(archive: Uint8Array): Uint8Array {
  if (archive[0] !== 0x1f || archive[1] !== 0x8b) {
    throw new InputError("not a chart archive: expected gzip data", {
      next: "pass a chart folder, or a .tgz made by `helm package`",
    });
  }
  try {
    return gunzipSync(archive, { maxOutputLength: largestChart + tarOverhead });
  } catch (error) {
    if (hasCode(error, "ERR_BUFFER_TOO_LARGE")) throw tooLarge();
    const isCut = hasCode(error, "Z_BUF_ERROR");
    throw new InputError(isCut ? "the archive is truncated" : "the archive is damaged", {
      next: "download or package the chart again",
      cause: error,
    });
  }
}

function* filesOf(archive: Uint8Array, origin: string): Generator<ChartFile> {
  let remaining = largestChart;
  let count = 0;
  for (const entry of readTar(archive)) {
    if (entry.type === "directory") continue;
    const name = pathWithinChart(entry);
    remaining -= entry.data.length;
    if (remaining <= 0) throw tooLarge();
    if (entry.data.length > largestFile) {
      throw new InputError(`${entry.name} is larger than the limit for a file of a chart, ${largestFile} bytes`);
    }
    count += 1;
    yield { name, data: withoutByteOrderMark(entry.data), origin: `${origin}:${entry.name}` };
  }
  if (count === 0) throw new InputError("the archive contains no files");
}

/** The path below the first folder, which is named after the chart. Archives made on Windows have backslashes. */
function pathWithinChart({ name, type }: TarEntry): string {
  const separator = name.includes("\\") ? "\\" : "/";
  const [first, ...rest] = name.split(separator);
  const path = rest.join("/");
  const quoted = JSON.stringify(name);
  if (path.startsWith("/")) throw new InputError(`the archive contains an absolute path: ${quoted}`);
  const clean = posix.normalize(path).replace(/(.)\/$/, "$1");
  if (clean === ".") throw new InputError(`the archive contains a file outside the chart's folder: ${quoted}`);
  if (clean.startsWith("..")) throw new InputError(`the archive contains a path outside the chart: ${quoted}`);
  if (/^[a-zA-Z]:\//.test(clean)) throw new InputError(`the archive contains a path with a drive letter: ${quoted}`);
  if (first === "Chart.yaml") throw new InputError(`Chart.yaml is not in the chart's folder: ${quoted}`);
  if (type === "other") {
    throw new InputError(`the archive contains a link or a device: ${quoted}`, {
      next: "make it with `helm package`, which replaces links by files",
    });
  }
  return clean;
}

function tooLarge(): InputError {
  return new InputError(`unpacked, the chart is larger than the limit, ${largestChart} bytes`);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Editors on Windows write byte order marks; Helm removes them from every file of a chart. */
export function withoutByteOrderMark(data: Uint8Array): Uint8Array {
  return data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf ? data.subarray(3) : data;
}
