import { InputError, systemClock } from "#base";
import type { HistoryCounts, HistoryEntry, HistoryObject, History } from "#integrations";
import { withInstance } from "../cluster/name-cluster.ts";
import { type HomeCluster, openHomeCluster } from "../control/home-cluster.ts";
import { readTenonConfig, type TenonConfig } from "../control/tenon-config.ts";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import type { Column } from "../terminal/format-table.ts";
import { printDocument, printRows } from "../terminal/print-rows.ts";
import type { StateChoice } from "./manage-commands.ts";
import { openHistory } from "./manage-settings.ts";

export interface HistoryChoice extends StateChoice {
  readonly config?: string;
  readonly integration: readonly string[];
  readonly output: OutputFormat;
}

/** `tenon history [ENTRY]`: prints what was applied. */
export async function printHistory(given: string | undefined, options: HistoryChoice, shell: Shell): Promise<void> {
  const config = await readTenonConfig(options.config);
  const choice = await withInstance(options, config, shell);
  await using opened = new AsyncDisposableStack();
  const history = await requireHistory(choice, config, shell, () =>
    openHomeCluster(choice, config, shell).then((home) => opened.use(home)),
  );
  const all = await history.read(shell.signal);
  if (given !== undefined) {
    await printEntry(findEntry(all, given), choice.output, shell);
    return;
  }
  const { integration } = choice;
  const rows = all
    .filter(({ integrations }) => integration.length === 0 || integrations.some((name) => integration.includes(name)))
    .toReversed();
  await printRows(
    { rows, columns: columnsAt(systemClock.now()), whenEmpty: "nothing was applied yet" },
    choice.output,
    shell,
  );
}

export async function requireHistory(
  choice: StateChoice,
  config: TenonConfig,
  shell: Shell,
  home: () => Promise<HomeCluster>,
): Promise<History> {
  const history = await openHistory(choice, config, shell, home);
  if (history) return history;
  throw new InputError("there is no history without a place to keep it", {
    next: "set --tenon-namespace or --state-file, or one of them in tenon.yaml",
  });
}

export function findEntry(entries: readonly HistoryEntry[], given: string): HistoryEntry {
  const found = entries.find(({ id }) => String(id) === given);
  if (found) return found;
  const [first, last] = [entries[0]?.id, entries.at(-1)?.id];
  throw new InputError(`history entry ${given} not found`, {
    next: first === undefined ? "nothing was applied yet" : `entries ${first} to ${last} are kept`,
  });
}

async function printEntry(entry: HistoryEntry, format: OutputFormat, shell: Shell): Promise<void> {
  if (format === "json" || format === "yaml") {
    await printDocument(entry, format, shell);
    return;
  }
  await printRows({ rows: [entry], columns: columnsAt(systemClock.now()), whenEmpty: "" }, format, shell);
  shell.stdout.write("\n");
  await printRows({ rows: entry.objects, columns: objectColumns, whenEmpty: "" }, format, shell);
  if (entry.omitted !== undefined) shell.stderr.write(`${entry.omitted} more objects are not in the history\n`);
}

function columnsAt(now: number): Column<HistoryEntry>[] {
  return [
    { header: "entry", value: ({ id }) => id, keep: "all" },
    { header: "when", value: ({ at, lastAt }) => describeAge(lastAt ?? at, now) },
    { header: "by", value: ({ by }) => by },
    { header: "data", value: revisionOf },
    { header: "changes", value: describeChanges },
    {
      header: "integrations",
      value: ({ integrations }) => integrations.join(", "),
      below: ({ integrations }) => [integrations.join(", ")],
    },
  ];
}

const objectColumns: Column<HistoryObject>[] = [
  { header: "state", value: ({ state }) => state },
  { header: "change", value: ({ action }) => action },
  { header: "where", value: ({ cluster, namespace }) => `${cluster}/${namespace}`, keep: "all" },
  { header: "kind", value: ({ kind }) => kind, keep: "all" },
  { header: "name", value: ({ name }) => name, keep: "all" },
  { header: "integration", value: ({ integration }) => integration, isDispensable: true },
  { header: "before", value: ({ before }) => before, isDispensable: true },
  { header: "after", value: ({ after }) => after, isDispensable: true },
];

/** The commit, or the hash of data that is in no commit. */
export function revisionOf({ source: { commit, bundle } }: HistoryEntry): string {
  return commit === undefined ? `bundle ${bundle.slice(0, 12)}` : commit.slice(0, 12);
}

function describeChanges({ counts, rollbackTo, times }: HistoryEntry): string {
  const words: readonly (readonly [keyof HistoryCounts, string])[] = [
    ["created", "created"],
    ["updated", "updated"],
    ["adopted", "adopted"],
    ["replaced", "replaced"],
    ["deleted", "deleted"],
    ["failed", "failed"],
    ["heldBack", "held back"],
  ];
  const parts = words.flatMap(([key, word]) => (counts[key] > 0 ? [`${counts[key]} ${word}`] : []));
  const repeated = times === undefined ? "" : `, ${times} times`;
  return `${rollbackTo === undefined ? "" : `rollback to ${rollbackTo}: `}${parts.join(", ")}${repeated}`;
}
