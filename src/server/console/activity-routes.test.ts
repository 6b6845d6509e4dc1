import { expect, test } from "vitest";
import type { HistoryEntry } from "#integrations";
import { queryEntries } from "./activity-routes.ts";

const object = { cluster: "c1", namespace: "shop", kind: "Deployment", action: "update", state: "done" } as const;

function entry(id: number, more: Partial<HistoryEntry> = {}): HistoryEntry {
  return {
    id,
    at: `2026-01-0${id}T00:00:00.000Z`,
    by: "ann",
    source: { location: "repo#main", commit: "1".repeat(40), bundle: "b" },
    plan: `p${id}`,
    isSuccess: true,
    counts: { created: 1, updated: 2, adopted: 0, replaced: 0, deleted: 0, failed: 0, heldBack: 0 },
    integrations: ["feed"],
    objects: [{ ...object, name: "feed", before: "0123", after: "4567" }],
    ...more,
  };
}

const page = { offset: 0, limit: 20 };

test("what was applied comes newest first, with who did it and how often, and without hashes", () => {
  const { applied, total, integrations } = queryEntries(
    [entry(1), entry(2, { times: 3, lastAt: "2026-01-05T00:00:00.000Z", integrations: ["mirror"], rollbackTo: 1 })],
    page,
  );
  expect([total, integrations, applied.map(({ id }) => id)]).toEqual([2, ["feed", "mirror"], [2, 1]]);
  expect(applied[0]).toMatchObject({ at: "2026-01-05T00:00:00.000Z", times: 3, by: "ann", rollbackTo: 1 });
  expect(applied[1]).toMatchObject({
    plan: "p1",
    summary: "1 created, 2 updated",
    objects: [{ ...object, name: "feed" }],
  });
  expect(JSON.stringify(applied)).not.toContain("4567");
});

test("an integration and a page narrow it, and what is too much is counted", () => {
  const many = Array.from({ length: 120 }, (_, index) => ({ ...object, name: `a-${index}` }));
  const entries = [entry(1), entry(2, { integrations: ["mirror"], objects: many, omitted: 5 }), entry(3)];
  expect(queryEntries(entries, { ...page, integration: "feed" }).applied.map(({ id }) => id)).toEqual([3, 1]);
  expect(queryEntries(entries, { offset: 1, limit: 1 })).toMatchObject({ total: 3, applied: [{ id: 2, omitted: 25 }] });
});
