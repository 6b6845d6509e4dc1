import { posix } from "node:path";
import { Bytes, compareStrings, fromBytes, goFunction, GoMap, type GoValue, Named, Slice, toYaml } from "#golang";
import type { ChartFile } from "../chart/chart.ts";
import { compileGlob } from "./glob.ts";

const objects = new WeakMap<readonly ChartFile[], Named>();

/** `.Files`: the files of a chart that are neither templates nor values, by their path. Only files of the chart can be reached. */
export function filesObject(files: readonly ChartFile[]): Named {
  const known = objects.get(files);
  if (known) return known;
  const made = filesOf(new Map(files.map(({ name, data }) => [name, data])));
  objects.set(files, made);
  return made;
}

type FileMap = ReadonlyMap<string, Uint8Array>;

const none = new Uint8Array();

function filesOf(files: FileMap): Named {
  const entries = new Map([...files].map(([name, data]) => [name, new Bytes(data)]));
  return new Named("engine.files", new GoMap("string", "[]uint8", entries), {
    Get: goFunction(["string"], ([name]) => fromBytes(files.get(name) ?? none)),
    GetBytes: goFunction(["string"], ([name]) => new Bytes(files.get(name) ?? none)),
    Glob: goFunction(["string"], ([pattern], { budget }) => filesOf(select(files, compileGlob(pattern, budget)))),
    Lines: goFunction(["string"], ([name]) => new Slice("string", linesOf(fromBytes(files.get(name) ?? none)))),
    AsConfig: goFunction([], () => toYaml(byBaseName(files, fromBytes))),
    AsSecrets: goFunction([], () => toYaml(byBaseName(files, (data) => Buffer.from(data).toString("base64")))),
  });
}

function select(files: FileMap, matches: (path: string) => boolean): FileMap {
  return new Map([...files].filter(([name]) => matches(name)));
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Of files with the same name in different folders, the last one wins; in Helm the choice is random. */
function byBaseName(files: FileMap, encode: (data: Uint8Array) => string): GoValue {
  const names = [...files.keys()].toSorted(compareStrings);
  return new GoMap(
    "string",
    "string",
    new Map(names.map((name) => [posix.basename(name), encode(files.get(name) ?? none)])),
  );
}
