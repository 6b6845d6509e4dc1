import { formatFieldPath, InputError, type JsonValue } from "#base";
import {
  type BundleDiff,
  type Datafile,
  diffBundles,
  diffJson,
  diffValues,
  openBundleSource,
  type ValueChange,
} from "#bundle";
import { shellWord } from "../call-again.ts";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { Colour } from "../terminal/paint.ts";
import { printRows, printDocument } from "../terminal/print-rows.ts";

export interface DiffChoice {
  readonly repository?: string;
  readonly schemas?: string;
  readonly output: OutputFormat;
}

type Change = "added" | "removed" | "changed";

interface Row {
  readonly change: Change;
  readonly file: string;
  readonly field: string;
  readonly old: string;
  readonly new: string;
}

const colours: Readonly<Record<Change, Colour>> = { added: "green", removed: "red", changed: "yellow" };

/** Prints what changed between two versions of the data. */
export async function diffData(old: string, current: string, choice: DiffChoice, shell: Shell): Promise<void> {
  const { repository, schemas, output } = choice;
  const [base, head] = await Promise.all(
    [old, current].map((version) => {
      const options = { env: shell.env, ...(schemas !== undefined && { schemas }) };
      return openBundleSource(locationOf(version, repository), options)
        .load(shell.signal)
        .catch((error: unknown) => {
          throw repository === undefined ? adviseRepository(error, old, current) : error;
        });
    }),
  );
  if (!base || !head) return;
  if (output === "json" || output === "yaml") {
    await printDocument(diffJson(base, head), output, shell);
    return;
  }
  const rows = rowsOf(diffBundles(base, head));
  await printRows(
    {
      rows,
      columns: [
        { header: "change", value: ({ change }) => change, colour: ({ change }) => colours[change] },
        { header: "file", value: ({ file }) => file, keep: "end" },
        { header: "field", value: ({ field }) => field },
        { header: "old", value: (row) => row.old },
        { header: "new", value: (row) => row.new },
      ],
      whenEmpty: "no changes",
    },
    output,
    shell,
  );
}

/** Beside refs of a repository, `.` is its working directory, as one would type it there. */
function locationOf(version: string, repository: string | undefined): string {
  if (repository === undefined) return version;
  return version === "." ? repository : `${repository}#${version}`;
}

/** A name that is neither a file nor a directory is mostly a branch or a tag. */
function adviseRepository(error: unknown, old: string, current: string): unknown {
  if (!(error instanceof InputError) || !error.what.includes("file or directory not found")) return error;
  const line = `tenon data diff --repository . ${shellWord(old)} ${shellWord(current)}`;
  const { what, where } = error;
  return new InputError(what, {
    ...(where !== undefined && { where }),
    next: `use a directory, a bundle file or REPOSITORY#REF; for branches and tags of the repository here: ${line}`,
    cause: error,
  });
}

function rowsOf({ datafiles, resources }: BundleDiff): Row[] {
  return [
    ...datafiles.flatMap(({ path, old, new: current }) => {
      if (!old || !current) return [fileRow(old ? "removed" : "added", `data${path}`, old ?? current)];
      const fields = diffValues(old.content, current.content);
      return fields.length === 0
        ? [reformattedRow(`data${path}`)]
        : fields.map((field) => fieldRow(`data${path}`, field));
    }),
    ...resources.map(({ path, old, new: current }): Row => {
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

function fileRow(change: "added" | "removed", file: string, datafile: Datafile | undefined): Row {
  const name = datafile?.content["name"];
  const about = `${datafile?.schema ?? ""}${typeof name === "string" ? ` ${name}` : ""}`;
  return { change, file, field: "", old: change === "removed" ? about : "", new: change === "added" ? about : "" };
}

function reformattedRow(file: string): Row {
  return { change: "changed", file, field: "", old: "", new: "same content, written differently" };
}

function fieldRow(file: string, { at, old, new: current }: ValueChange): Row {
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
