import { InputError } from "#base";
import { diffBundles, diffJson, type DiffRow, diffRows, openBundleSource } from "#bundle";
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

const colours: Readonly<Record<DiffRow["change"], Colour>> = { added: "green", removed: "red", changed: "yellow" };

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
  const rows = diffRows(diffBundles(base, head));
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
