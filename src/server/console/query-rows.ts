import { compareText } from "#base";
import type { AttentionAnswer, ConsoleRow, ListAnswer, ListQuery } from "./console-api.ts";

const mostNamespaces = 200;
const urgency: readonly ConsoleRow["waitsOn"][] = ["person", "tenon", "nothing"];

/** A row, and the text that a search looks in. */
export interface SearchableRow {
  readonly row: ConsoleRow;
  readonly text: string;
}

export function searchable(row: ConsoleRow): SearchableRow {
  const { namespace, name, state, waitsFor = "", cells } = row;
  return {
    row,
    text: [`${namespace}/${name}`, state, waitsFor, ...Object.values(cells)].join("\n").toLowerCase(),
  };
}

/** The rows that a query asks for. */
export function queryRows(all: readonly SearchableRow[], query: ListQuery): Omit<ListAnswer, "problem"> {
  const search = query.search?.toLowerCase();
  const states: Record<string, number> = {};
  const namespaces = new Set<string>();
  const matching: ConsoleRow[] = [];
  for (const { row, text } of all) {
    namespaces.add(row.namespace);
    if (query.namespace !== undefined && row.namespace !== query.namespace) continue;
    if (query.waitsOn !== undefined && row.waitsOn !== query.waitsOn) continue;
    if (search !== undefined && !text.includes(search)) continue;
    states[row.state] = (states[row.state] ?? 0) + 1;
    if (query.state === undefined || row.state === query.state) matching.push(row);
  }
  const direction = query.order === "ascending" ? 1 : -1;
  const sorted = matching.toSorted((one, other) => direction * compareBy(query.sort, one, other) || byKey(one, other));
  return {
    rows: sorted.slice(query.offset, query.offset + query.limit),
    total: sorted.length,
    states,
    namespaces: [...namespaces].toSorted(compareText).slice(0, mostNamespaces),
  };
}

function compareBy(sort: ListQuery["sort"], one: ConsoleRow, other: ConsoleRow): number {
  if (sort === "urgency") return urgency.indexOf(one.waitsOn) - urgency.indexOf(other.waitsOn);
  return compareText(one[sort] ?? "", other[sort] ?? "");
}

function byKey(one: ConsoleRow, other: ConsoleRow): number {
  return compareText(`${one.namespace}/${one.name}`, `${other.namespace}/${other.name}`);
}

/**
 * What a person has to do, by namespace. Of the Snapshots of one component, and of the Releases of one plan, only the newest
 * counts: an older one that failed needs no one any more.
 */
export function collectAttention(all: readonly ConsoleRow[]): Omit<AttentionAnswer, "problem"> {
  const newest = new Map<string, ConsoleRow>();
  const others: ConsoleRow[] = [];
  for (const row of all) {
    if (row.list !== "snapshots" && row.list !== "releases") {
      others.push(row);
      continue;
    }
    const line = [row.list, row.namespace, row.cells["of"] ?? row.cells["plan"] ?? ""].join("/");
    const known = newest.get(line);
    if (!known || (known.cells["created"] ?? "") < (row.cells["created"] ?? "")) newest.set(line, row);
  }
  const current = [...others, ...newest.values()];
  const rows = current.filter(({ waitsOn }) => waitsOn === "person").toSorted(byAge);
  const owners = Map.groupBy(rows, ({ namespace }) => namespace);
  return {
    owners: [...owners].map(([namespace, own]) => ({ namespace, rows: own })),
    total: rows.length,
    working: current.filter(({ waitsOn }) => waitsOn === "tenon").length,
    fine: current.filter(({ waitsOn }) => waitsOn === "nothing").length,
  };
}

function byAge(one: ConsoleRow, other: ConsoleRow): number {
  return compareText(one.since ?? "~", other.since ?? "~") || byKey(one, other);
}
