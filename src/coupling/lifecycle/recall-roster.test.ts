import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { apiVersion } from "../kinds/names.ts";
import { byPairing } from "./coupling-deps.ts";
import { pairingOf } from "./plug-index.ts";
import { recallRoster } from "./recall-roster.ts";

const identity = (kind: string, name: string) => ({ apiVersion, kind, namespace: "app", name, uid: `uid-${name}` });
const socket = (...plugs: string[]): KubeObject => ({
  apiVersion,
  kind: "Socket",
  metadata: { namespace: "app", name: "s", uid: "uid-s" },
  spec: {},
  status: { coupledPlugs: plugs.map((name) => identity("Plug", name)) },
});
const plug = (name: string, status: object): KubeObject => ({
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
const coupledSocket = identity("Socket", "s");
const pairing = { socket: coupledSocket, stage: "coupled", generation: 1, done: [] };

test.for([
  {
    status: { coupledSocket },
    listed: [],
    held: [],
    reason: "only the plug says so, and its own look does not believe it",
  },
  { status: { coupledSocket }, listed: ["p"], held: ["uid-p"], reason: "integration-operator coupled them" },
  {
    status: { coupledSocket, pairing },
    listed: [],
    held: ["uid-p"],
    reason: "on its way, which its own look will end",
  },
  { status: { coupledSocket, pairing }, listed: ["p"], held: ["uid-p"], reason: "coupled" },
])("who holds a place after a start: $reason", ({ status, listed, held }) => {
  const recalled = recallRoster("uid-s", plugsOf(plug("p", status)), { byIndex: () => [socket(...listed)] });
  expect(recalled?.held).toEqual(held);
});

test("nothing is remembered of a socket that is gone", () => {
  const plugs = plugsOf(plug("p", { coupledSocket, pairing }));
  expect(recallRoster("uid-s", plugs, { byIndex: () => [] })).toBe(undefined);
});
