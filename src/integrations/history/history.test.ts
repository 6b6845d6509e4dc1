import { describe, expect, test } from "vitest";
import { addToHistory, readHistory, writeHistory } from "./history.ts";
import type { HistoryEntry, HistoryObject } from "./history-entry.ts";

const object: HistoryObject = {
  cluster: "c1",
  namespace: "n1",
  kind: "Deployment",
  name: "a",
  integration: "a",
  action: "update",
  state: "done",
  before: "0123456789abcdef",
  after: "fedcba9876543210",
};

function entry(more: Partial<HistoryEntry> = {}): Omit<HistoryEntry, "id"> {
  return {
    at: "2026-01-01T00:00:00.000Z",
    by: "me@here",
    source: { location: "repo#main", commit: "1".repeat(40), bundle: "b" },
    plan: "p",
    isSuccess: true,
    counts: { created: 0, updated: 1, adopted: 0, replaced: 0, deleted: 0, failed: 0, heldBack: 0 },
    integrations: ["a"],
    objects: [object],
    ...more,
  };
}

/** Each with another commit. */
function many(count: number, more: Partial<HistoryEntry> = {}): readonly HistoryEntry[] {
  let entries: readonly HistoryEntry[] = [];
  for (let index = 0; index < count; index += 1) {
    const source = { location: "repo#main", commit: String(index), bundle: "b" };
    entries = addToHistory(entries, entry({ source, ...more }));
  }
  return entries;
}

describe("the history", () => {
  test("numbers its entries, and keeps the newest 100", () => {
    const ids = many(103).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 100 }, (_, index) => index + 4));
  });

  test("is written and read as the same", () => {
    const entries = many(3);
    expect(readHistory(writeHistory(entries), "there")).toEqual(entries);
    expect(readHistory(undefined, "there")).toEqual([]);
    expect(() => readHistory("{", "there")).toThrow("cannot read the history: not valid JSON");
    expect(() => readHistory('{"version":2}', "there")).toThrow(/cannot read the history: .*version/s);
  });

  test("fits into a ConfigMap however large its entries are: objects beyond 64 KiB are only counted", () => {
    const objects = Array.from({ length: 5_000 }, (_, index) => ({ ...object, name: `a-${index}` }));
    const entries = many(100, { objects });
    expect(Buffer.byteLength(writeHistory(entries))).toBeLessThan(600 * 1024);
    expect(entries.length).toBeGreaterThan(5);
    const { objects: kept = [], omitted = 0 } = entries.at(-1) ?? {};
    expect(kept.length + omitted).toBe(5_000);
    expect(kept.length).toBeGreaterThan(100);
  });

  test("counts what repeats the last entry, so that a fight with another writer does not push the rest out", () => {
    let entries = many(2);
    const [, last] = entries;
    for (const at of ["2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"]) {
      entries = addToHistory(readHistory(writeHistory(entries), ""), {
        ...entry(),
        source: last?.source ?? entry().source,
        at,
        plan: at,
      });
    }
    expect(entries).toHaveLength(2);
    expect(entries[1]).toMatchObject({ id: 2, at: last?.at, times: 3, lastAt: "2026-01-03T00:00:00.000Z" });
  });

  test("adds a failure that goes on only once", () => {
    const failed = entry({ objects: [{ ...object, state: "failed" }], isSuccess: false });
    const entries = addToHistory([], failed);
    expect(addToHistory(entries, { ...failed, at: "2026-01-02T00:00:00.000Z" })).toBe(entries);
  });
});
