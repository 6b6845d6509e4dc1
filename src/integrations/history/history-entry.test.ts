import { describe, expect, test } from "vitest";
import type { JsonObject } from "#base";
import { type ActionOutcome, ManagedObject, planChanges, ResourceInventory } from "#inventory";
import { managerIdentity } from "../manager-defaults.ts";
import type { ManagedRun } from "../manage/managed-run.ts";
import { historyEntry, type HistoryEntry } from "./history-entry.ts";
import { differentNow, withSuspension } from "./rollback.ts";

const context = { at: new Date(0), by: "me@here", location: "repo#main", refs: new Map([["repo main", "c0ffee"]]) };

function objectOf(kind: string, name: string, data: JsonObject): ManagedObject {
  const apiVersion = kind === "Deployment" ? "apps/v1" : "v1";
  const body = { apiVersion, kind, metadata: { name }, ...(kind === "Deployment" ? { spec: data } : { data }) };
  return new ManagedObject({ ...managerIdentity, body, attribution: "a" });
}

/** An inventory in which the objects are desired with one value and live with another. */
function changed(kinds: readonly string[], value = "new"): ResourceInventory {
  const inventory = new ResourceInventory();
  for (const kind of kinds) {
    inventory.initialize("c1", "n1", kind);
    const [desired, live] = [objectOf(kind, "x", { k: value }), objectOf(kind, "x", { k: "old" })];
    inventory.addDesired({ cluster: "c1", namespace: "n1", kind, name: "x", value: desired });
    inventory.addCurrent("c1", "n1", kind, "x", live.withBody(live.annotate(new Date(0))));
  }
  return inventory;
}

function ran(kinds: readonly string[], more: Partial<ManagedRun> = {}): ManagedRun {
  const inventory = changed(kinds);
  const plan = planChanges(inventory, managerIdentity);
  const outcomes = plan.actions.map(
    ({ cluster, namespace, apiVersion, kind, name, action }): ActionOutcome => ({
      cluster,
      namespace,
      apiVersion,
      kind,
      name,
      action,
      state: "done",
      privileged: false,
      calls: [],
    }),
  );
  const data = { identity: "b", commit: "1".repeat(40) };
  return {
    why: "data",
    isSuccess: true,
    isDryRun: false,
    seconds: 1,
    plan,
    inventory,
    outcomes,
    waiting: [],
    data,
    ...more,
  };
}

describe("an entry of the history", () => {
  test("says when, who, from which data, and for each object the hashes before and after", () => {
    const [before, after] = ["old", "new"].map((k) => objectOf("Deployment", "x", { k }).sha256().slice(0, 16));
    expect(historyEntry(ran(["Deployment"]), context)).toMatchObject({
      at: "1970-01-01T00:00:00.000Z",
      by: "me@here",
      source: { location: "repo#main", commit: "1".repeat(40), bundle: "b", refs: { "repo main": "c0ffee" } },
      isSuccess: true,
      counts: { created: 0, updated: 1, deleted: 0, failed: 0 },
      integrations: ["a"],
      objects: [
        {
          cluster: "c1",
          namespace: "n1",
          kind: "Deployment",
          name: "x",
          integration: "a",
          action: "update",
          state: "done",
          before,
          after,
        },
      ],
    });
  });

  test("has neither a value nor a hash of a Secret", () => {
    const entry = historyEntry(ran(["Secret"]), context);
    expect(entry?.objects).toMatchObject([{ kind: "Secret", before: undefined, after: undefined }]);
    expect(JSON.stringify(entry)).not.toMatch(/"(old|new)"/);
  });

  test("is not made of a dry run, of a run that did nothing, or of one that failed before it had a plan", () => {
    expect(historyEntry(ran(["Deployment"], { isDryRun: true }), context)).toBeUndefined();
    expect(historyEntry(ran(["Deployment"], { outcomes: [] }), context)).toBeUndefined();
    expect(historyEntry(ran(["Deployment"], { plan: undefined }), context)).toBeUndefined();
  });
});

function entryCalled(id: number): HistoryEntry {
  const entry = historyEntry(ran(["Deployment"]), context);
  if (!entry) throw new Error("it has an entry");
  return { id, ...entry };
}

describe("a rollback", () => {
  const entries = [entryCalled(1), entryCalled(2)] as const;

  test("names objects that are rendered otherwise than the history says", () => {
    const [target] = entries;
    expect(differentNow(entries, target, changed(["Deployment"]))).toEqual([]);
    expect(differentNow(entries, target, changed(["Deployment"], "another chart"))).toEqual([
      { cluster: "c1", namespace: "n1", kind: "Deployment", name: "x" },
    ]);
  });

  test("compares an object that the entry did not change with what it was before its next change", () => {
    const [target, later] = entries;
    const earlier = { ...target, objects: [] };
    expect(differentNow([earlier, later], earlier, changed(["Deployment"], "old"))).toEqual([]);
    expect(differentNow([earlier, later], earlier, changed(["Deployment"], "new"))).toHaveLength(1);
  });

  test("writes the suspension with each object, and leaves the rest of it as it is", () => {
    const { plan } = ran(["Deployment"]);
    if (!plan) throw new Error("there is one");
    const [action] = withSuspension(plan, "rolled back").actions;
    const [original] = plan.actions;
    expect(action?.body?.["metadata"]).toMatchObject({ annotations: { "tenon.dev/suspend": "rolled back" } });
    expect(action?.body?.["spec"]).toEqual(original?.body?.["spec"]);
    expect(action?.sha256).toBe(original?.sha256);
  });
});
