import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { fc } from "#seeded";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { apiVersion } from "../kinds/index.ts";
import { byPairing } from "./coupling-deps.ts";
import { recallRoster, Roster, type RosterOptions } from "./roster.ts";
import { pairingOf } from "./unparsed-objects.ts";

const plug = (name: string, second = 0): KubeObject => ({
  apiVersion: "v1",
  kind: "Plug",
  metadata: {
    namespace: "app",
    name,
    uid: `uid-${name}`,
    creationTimestamp: `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`,
  },
});
const identity = (name: string) => ({ apiVersion: "v1", kind: "Plug", namespace: "app", name, uid: `uid-${name}` });
const nothing = { held: [], listed: [], waiting: [] };

function rosterWith(options: Partial<RosterOptions> = {}) {
  const writes: string[][] = [];
  const offered: string[] = [];
  const left: string[] = [];
  const roster = new Roster({
    write: async (_, plugs) => void writes.push(plugs.map(({ name }) => name)),
    recall: () => nothing,
    onPlace: (key) => offered.push(key),
    onLeft: (uid) => left.push(uid),
    ...options,
  });
  return { roster, writes, offered, left };
}

test("plugs that join during a write are in the next one", async () => {
  const { roster, writes } = rosterWith();
  const names = Array.from({ length: 100 }, (_, index) => `p${index}`);
  await Promise.all(names.map((name) => roster.join("s", identity(name))));
  expect(writes.length).toBeLessThanOrEqual(2);
  expect(writes.at(-1)).toEqual(names);
  await roster.join("s", identity("p0"));
  expect(writes.length).toBeLessThanOrEqual(2);
});

function gatheringRoster(names: readonly string[]) {
  const clock = new FakeClock();
  const made = rosterWith({ gathering: { clock, silenceMs: () => 50, longestMs: 1_000 } });
  for (const name of names) made.roster.admit("s", plug(name), 0);
  return { ...made, clock };
}

test("a write waits for plugs that hold a place, and starts when the last one has joined", async () => {
  const { roster, writes, clock } = gatheringRoster(["a", "b", "c"]);
  void roster.join("s", identity("a"));
  await clock.advance(40);
  void roster.join("s", identity("b"));
  await clock.advance(40);
  expect(writes).toEqual([]);
  await roster.join("s", identity("c"));
  expect(writes).toEqual([["a", "b", "c"]]);
});

test("a write does not wait for a slow plug, nor for one that gave its place back", async () => {
  const { roster, writes, clock } = gatheringRoster(["a", "hung"]);
  void roster.join("s", identity("a"));
  await clock.advance(49);
  expect(writes).toEqual([]);
  await clock.advance(1);
  expect(writes).toEqual([["a"]]);
  roster.cancel("s", "uid-hung");
  await roster.join("s", identity("b"));
  expect(writes.at(-1)).toEqual(["a", "b"]);
});

test("a write waits longer if couplings take long", async () => {
  const { roster, writes, clock } = gatheringRoster(["a", "b", "hung"]);
  await clock.advance(800);
  void roster.join("s", identity("a"));
  await clock.advance(190);
  void roster.join("s", identity("b"));
  await clock.advance(240);
  expect(writes).toEqual([]);
  await clock.advance(10);
  expect(writes).toEqual([["a", "b"]]);
});

test("a write waits at most a second, however many plugs keep joining", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `p${index}`);
  const { roster, writes, clock } = gatheringRoster(names);
  for (const name of names) {
    void roster.join("s", identity(name));
    await clock.advance(40);
  }
  expect(writes.map(({ length }) => length)).toEqual([25, 40]);
});

test("a join resolves with its own write, and the next join repeats a failed write", async () => {
  let isBroken = true;
  const writes: number[] = [];
  const { roster } = rosterWith({
    write: async (_, plugs) => {
      if (isBroken) throw new Error("conflict");
      writes.push(plugs.length);
    },
  });
  await expect(roster.join("s", identity("a"))).rejects.toThrow("conflict");
  await expect(roster.join("s", identity("a"))).rejects.toThrow("conflict");
  isBroken = false;
  await roster.join("s", identity("a"));
  expect(writes).toEqual([1]);
});

test("the roster starts from the cluster: places, list and waiting plugs; a deleted plug is removed from the list", async () => {
  const listed = [identity("a"), identity("dead")];
  const recall = () => ({ held: ["uid-a"], listed, waiting: [plug("old", 1)] });
  const { roster, writes, offered } = rosterWith({ recall });
  expect(roster.admit("s", plug("young", 2), 2)).toBe("full");
  expect(roster.admit("s", plug("old", 1), 2)).toBe("admitted");
  await roster.join("s", identity("a"));
  expect(writes).toEqual([["a"]]);
  await roster.leave("s", "uid-a");
  expect(offered).toEqual(["app/young"]);
});

test("a cancelled place is offered to the next plug, and so is the turn of a plug that no longer waits", () => {
  const { roster, offered } = rosterWith();
  expect(roster.admit("s", plug("a"), 1)).toBe("admitted");
  expect([roster.admit("s", plug("b", 1), 1), roster.admit("s", plug("c", 2), 1)]).toEqual(["full", "full"]);
  roster.cancel("s", "uid-a");
  expect(offered).toEqual(["app/b"]);
  expect(roster.admit("s", plug("c", 2), 1)).toBe("full");
  expect(roster.admit("elsewhere", plug("b", 1), 0)).toBe("admitted");
  expect(offered).toEqual(["app/b", "app/c"]);
  expect(roster.admit("s", plug("c", 2), 1)).toBe("admitted");
});

test("a closed socket admits no plug, and is not empty while a plug holds a place", async () => {
  const { roster } = rosterWith();
  roster.admit("s", plug("a"), 0);
  expect(roster.close("s")).toBe(false);
  await roster.leave("s", "uid-a");
  expect(roster.close("s")).toBe(true);
  expect(roster.admit("s", plug("b"), 0)).toBe("closed");
});

test("a socket that is being deleted admits no new plug, and is woken when a place is cancelled", () => {
  const { roster, left } = rosterWith();
  for (const name of ["a", "b"]) roster.admit("s", plug(name), 0);
  roster.cancel("s", "uid-b");
  expect(left, "no plug waits for that yet").toEqual([]);
  expect(roster.close("s")).toBe(false);
  expect([roster.admit("s", plug("a"), 0), roster.admit("s", plug("b"), 0)]).toEqual(["admitted", "closed"]);
  roster.cancel("s", "uid-a");
  expect(left).toEqual(["s"]);
  expect(roster.close("s")).toBe(true);
});

test("a plug that is being deleted does not count against the limit, but the socket waits for it", async () => {
  const { roster, offered } = rosterWith();
  await roster.join("s", identity("a"));
  expect(roster.admit("s", plug("b"), 1)).toBe("full");
  roster.vacate("s", "uid-a");
  roster.vacate("s", "uid-a");
  expect(offered).toEqual(["app/b"]);
  expect([roster.admit("s", plug("b"), 1), roster.admit("s", plug("c"), 1)]).toEqual(["admitted", "full"]);
  expect(roster.taken("s")).toBe(1);
  expect(roster.held("s").has("uid-a")).toBe(true);
  await roster.leave("s", "uid-a");
  expect(offered, "the place was given once").toEqual(["app/b"]);
  expect(roster.taken("s")).toBe(1);
});

test("the roster keeps nothing of a deleted socket, whatever its plugs still do", async () => {
  let recalls = 0;
  const { roster, writes, left } = rosterWith({ recall: () => void recalls++ });
  await roster.leave("s", "uid-a");
  expect(roster.admit("s", plug("b"), 0)).toBe("closed");
  expect(roster.isListed("s", "uid-a")).toBe(false);
  expect(recalls, "each asked anew").toBe(3);
  expect([writes, left]).toEqual([[], []]);
});

test("a deleted plug leaves every socket it was on", async () => {
  const { roster, left, writes } = rosterWith();
  await roster.join("s", identity("a"));
  await roster.join("t", identity("a"));
  await roster.drop("uid-a");
  expect(left).toEqual(["s", "t"]);
  expect(writes.slice(-2)).toEqual([[], []]);
});

test("H71: the limit is never exceeded, and a plug that is older than an admitted one does not wait for long", async () => {
  const step = fc.record({ who: fc.nat(9), act: fc.constantFrom("come", "come", "come", "go", "leave", "give up") });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 80 }), async (limit, steps) => {
      const { roster } = rosterWith();
      const [waiting, leaving] = [new Set<number>(), new Set<number>()];
      for (const { who, act } of steps) {
        const one = plug(`p${who}`, who);
        const uid = `uid-p${who}`;
        const older = [...waiting].filter((other) => other < who).length;
        const had = roster.held("s").has(uid);
        let isNewcomer = false;
        if (act === "come" && !leaving.has(who)) {
          const answer = roster.admit("s", one, limit);
          isNewcomer = answer === "admitted" && !had;
          if (answer === "full") waiting.add(who);
          else waiting.delete(who);
        } else if (act === "go") {
          roster.vacate("s", uid);
          if (had) leaving.add(who);
        } else if (act === "leave") {
          await roster.leave("s", uid);
          leaving.delete(who);
        } else if (act === "give up") {
          roster.stopWaiting(`app/p${who}`);
          waiting.delete(who);
        }
        expect(!isNewcomer || roster.taken("s") + older <= limit, "the older ones come first").toBe(true);
        expect(roster.taken("s")).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

const identityIn = (kind: string, name: string) => ({ apiVersion, kind, namespace: "app", name, uid: `uid-${name}` });
const socket = (...plugs: string[]): KubeObject => ({
  apiVersion,
  kind: "Socket",
  metadata: { namespace: "app", name: "s", uid: "uid-s" },
  spec: {},
  status: { coupledPlugs: plugs.map((name) => identityIn("Plug", name)) },
});
const storedPlug = (name: string, status: object): KubeObject => ({
  apiVersion,
  kind: "Plug",
  metadata: { namespace: "app", name, uid: `uid-${name}` },
  spec: {},
  status,
});
const plugsOf = (...plugs: readonly KubeObject[]) => ({
  byIndex: (index: string, value: string) =>
    index === byPairing ? plugs.filter((each) => pairingOf(each) === value) : [],
});
const coupledSocket = identityIn("Socket", "s");
const pairing = { socket: coupledSocket, stage: "coupled", generation: 1, done: [] };

test.for([
  {
    status: { coupledSocket },
    listed: [],
    held: [],
    reason: "only the plug says so, and its own reconciliation does not believe it",
  },
  { status: { coupledSocket }, listed: ["p"], held: ["uid-p"], reason: "integration-operator coupled them" },
  {
    status: { coupledSocket, pairing },
    listed: [],
    held: ["uid-p"],
    reason: "on its way, which its own reconciliation will end",
  },
  { status: { coupledSocket, pairing }, listed: ["p"], held: ["uid-p"], reason: "coupled" },
])("a place is held after a start of the operator or not: $reason", ({ status, listed, held }) => {
  const recalled = recallRoster("uid-s", plugsOf(storedPlug("p", status)), { byIndex: () => [socket(...listed)] });
  expect(recalled?.held).toEqual(held);
});

test("a deleted socket has no state to recall", () => {
  const plugs = plugsOf(storedPlug("p", { coupledSocket, pairing }));
  expect(recallRoster("uid-s", plugs, { byIndex: () => [] })).toBe(undefined);
});
