import { formatFieldPath, type JsonValue } from "#base";
import type { Datafile } from "../bundle.ts";
import type { BundleDiff } from "./diff-bundles.ts";
import { diffValues, type ValueChange } from "./diff-values.ts";

/** One line of a difference: a file that was added or removed, a field of a data file, or a resource. */
export interface DiffRow {
  readonly change: "added" | "removed" | "changed";
  /** With the part of the data in front: `data/apps/a.yml`. */
  readonly file: string;
  readonly field: string;
  readonly old: string;
  readonly new: string;
}

/** What changed from one bundle to another, for people. */
export function diffRows({ datafiles, resources }: BundleDiff): DiffRow[] {
  return [
    ...datafiles.flatMap(({ path, old, new: current }) => {
      if (!old || !current) return [fileRow(old ? "removed" : "added", `data${path}`, old ?? current)];
      const fields = diffValues(old.content, current.content);
      return fields.length === 0
        ? [reformattedRow(`data${path}`)]
        : fields.map((field) => fieldRow(`data${path}`, field));
    }),
    ...resources.map(({ path, old, new: current }): DiffRow => {
      const change = old && current ? "changed" : old ? "removed" : "added";
      return {
        change,
        file: `resources${path}`,
        field: "",
        old: old ? size(old.content) : "",
        new: current ? size(current.content) : "",
      };
    }),
  ];
}

function fileRow(change: "added" | "removed", file: string, datafile: Datafile | undefined): DiffRow {
  const name = datafile?.content["name"];
  const about = `${datafile?.schema ?? ""}${typeof name === "string" ? ` ${name}` : ""}`;
  return { change, file, field: "", old: change === "removed" ? about : "", new: change === "added" ? about : "" };
}

function reformattedRow(file: string): DiffRow {
  return { change: "changed", file, field: "", old: "", new: "same content, written differently" };
}

function fieldRow(file: string, { at, old, new: current }: ValueChange): DiffRow {
  const change = old === undefined ? "added" : current === undefined ? "removed" : "changed";
  return { change, file, field: formatFieldPath(at), old: show(old), new: show(current) };
}

function show(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function size(content: string): string {
  const lines = content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  return `${lines} ${lines === 1 ? "line" : "lines"}`;
}
