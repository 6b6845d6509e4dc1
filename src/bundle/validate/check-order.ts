import { isJsonList, nearestName } from "#base";
import type { Bundle } from "../bundle.ts";
import { integrationSchema } from "../source/legacy-forms.ts";
import type { BundleFinding } from "./bundle-finding.ts";

/** An entry of an integration's `after` that cannot be followed. */
export interface OrderProblem {
  readonly name: string;
  /** Its position in the list. */
  readonly index: number;
  readonly what: string;
  readonly next: string;
}

/** Finds integrations that come after one that does not exist, or after themselves. */
export function findOrderProblems(
  after: ReadonlyMap<string, readonly string[]>,
  names: ReadonlySet<string>,
): OrderProblem[] {
  return [...after].flatMap(([name, before]) =>
    before.flatMap((other, index): OrderProblem[] => {
      if (!names.has(other)) {
        const near = nearestName(other, names);
        const next = near === undefined ? "correct the name, or delete it" : `did you mean ${near}?`;
        return [{ name, index, what: `${name} comes after ${other}, which is not an integration`, next }];
      }
      const way = pathBetween(other, name, after);
      if (!way) return [];
      const what = `${name} comes after itself: ${[name, ...way].join(" after ")}`;
      return [{ name, index, what, next: "delete one of them from its after" }];
    }),
  );
}

/** The shortest way from one to the other along `after`, both included. */
function pathBetween(from: string, to: string, after: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  for (const [current] of cameFrom) {
    if (current === to) {
      const way: string[] = [];
      for (let step: string | undefined = to; step !== undefined; step = cameFrom.get(step)) way.unshift(step);
      return way;
    }
    for (const next of after.get(current) ?? []) if (!cameFrom.has(next)) cameFrom.set(next, current);
  }
  return undefined;
}

/** The same in the files of a bundle. */
export function checkOrder({ datafiles }: Bundle): BundleFinding[] {
  const files = [...datafiles.values()].filter(({ schema }) => schema === integrationSchema);
  const ordered = files.filter(({ content }) => isJsonList(content["after"]));
  if (ordered.length === 0) return [];
  const names = new Set(files.map(({ content }) => content["name"]).filter((name) => typeof name === "string"));
  const paths = new Map<string, string>();
  const after = new Map<string, readonly string[]>();
  for (const { path, content } of ordered) {
    const { name, after: list } = content;
    if (typeof name !== "string" || !isJsonList(list)) continue;
    paths.set(name, path);
    after.set(name, list.map(String));
  }
  return findOrderProblems(after, names).map(({ name, index, what, next }) => ({
    part: "data",
    path: paths.get(name) ?? "",
    kind: "REF",
    reason: "VALIDATION_ERROR",
    schema: integrationSchema,
    at: ["after", index],
    what,
    next,
  }));
}
