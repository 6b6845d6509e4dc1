import { compareText } from "#base";
import type { AttentionAnswer, AttentionQuery, ConsoleRow, ListAnswer, ListQuery } from "./console-api.ts";

const mostNamespaces = 200;
/** What one answer about what needs a person has; the lists have the rest, page by page. */
const [mostRows, mostOwners, mostOfOwner] = [250, 100, 20];
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
 * counts: an older one that failed needs no one any more. Of those of one second, which is all that Kubernetes notes, each counts.
 */
export function collectAttention(
  all: readonly ConsoleRow[],
  { namespace }: AttentionQuery = {},
): Omit<AttentionAnswer, "problem"> {
  const newest = new Map<string, ConsoleRow[]>();
  const others: ConsoleRow[] = [];
  for (const row of all) {
    if (row.list !== "snapshots" && row.list !== "releases") {
      others.push(row);
      continue;
    }
    const line = [row.list, row.namespace, row.cells["of"] ?? row.cells["plan"] ?? ""].join("/");
    const known = newest.get(line);
    const order = known ? compareText(row.cells["created"] ?? "", known[0]?.cells["created"] ?? "") : 1;
    if (order > 0) newest.set(line, [row]);
    else if (order === 0) known?.push(row);
  }
  const current = [...others, ...[...newest.values()].flat()];
  const waiting = current.filter(({ waitsOn }) => waitsOn === "person");
  const rows = waiting.filter((row) => namespace === undefined || row.namespace === namespace).toSorted(byAge);
  const groups = [...Map.groupBy(rows, (row) => row.namespace)];
  let room = mostRows;
  const owners = groups.slice(0, mostOwners).map(([owner, own]) => {
    const shown = own.slice(0, Math.min(mostOfOwner, room));
    room -= shown.length;
    return { namespace: owner, rows: shown, counts: countBy(own) };
  });
  return {
    owners,
    namespaces: [...new Set(waiting.map((row) => row.namespace))].toSorted(compareText).slice(0, mostNamespaces),
    omitted: groups.length - owners.length,
    total: rows.length,
    working: current.filter(({ waitsOn }) => waitsOn === "tenon").length,
    fine: current.filter(({ waitsOn }) => waitsOn === "nothing").length,
  };
}

function countBy(rows: readonly ConsoleRow[]): AttentionAnswer["owners"][number]["counts"] {
  const groups = Map.groupBy(rows, ({ list }) => list);
  return Object.fromEntries([...groups].map(([list, own]) => [list, own.length]));
}

function byAge(one: ConsoleRow, other: ConsoleRow): number {
  return compareText(one.since ?? "~", other.since ?? "~") || byKey(one, other);
}
