import { describe, expect, test } from "vitest";
import { checkMachine } from "./check-machine.ts";
import type { Machine } from "./read-machine.ts";

const binary = { state: "cached", path: "/cache/abc/tenon-cluster", kubectl: "/cache/abc/kubectl" } as const;
const absent = { ...binary, state: "absent" } as const;

const healthy: Machine = {
  platform: "linux",
  node: "24.21.0",
  git: "2.39.5",
  make: "4.3",
  go: "1.26.8",
  binary,
  cache: { path: "/cache", freeBytes: 50e9 },
  data: { path: "/data", freeBytes: 50e9 },
  instances: [],
  isRoot: false,
  missingForNode: { programs: [], packages: [] },
};

const damaged = {
  name: "old",
  state: "damaged",
  kubernetes: "",
  server: "",
  context: "tenon-old",
  kubeconfig: "/data/old/kubeconfig",
  dataDir: "/data/old",
  fakeNodes: 0,
  node: false,
  cdi: false,
} as const;

const cases: { readonly check: string; readonly state: string; readonly machine: Partial<Machine>; reason: string }[] =
  [
    {
      check: "platform",
      state: "warn",
      machine: { platform: "darwin" },
      reason: "only the user's own clusters work there",
    },
    { check: "node", state: "fail", machine: { node: "22.1.0" }, reason: "it cannot run Tenon" },
    { check: "node", state: "ok", machine: { node: "26.0.0" }, reason: "newer is fine" },
    { check: "git", state: "warn", machine: { git: undefined }, reason: "much works without git" },
    { check: "make", state: "warn", machine: { make: undefined }, reason: "everything works without make" },
    { check: "go", state: "fail", machine: { go: undefined, binary: absent }, reason: "the binary must be built" },
    { check: "go", state: "ok", machine: { go: undefined }, reason: "the binary exists" },
    {
      check: "go",
      state: "ok",
      machine: { go: undefined, binary: absent, platform: "darwin" },
      reason: "the embedded cluster does not run there",
    },
    { check: "go", state: "ok", machine: { go: "1.21.0", binary: absent }, reason: "it downloads a newer one" },
    {
      check: "go",
      state: "fail",
      machine: { go: "1.20.14", binary: absent },
      reason: "it cannot download a newer one",
    },
    { check: "go", state: "ok", machine: { go: "1.27rc1", binary: absent }, reason: "it is newer" },
    {
      check: "real node",
      state: "ok",
      machine: { missingForNode: { programs: ["runc"], packages: ["runc"] } },
      reason: "most people need no real node",
    },
    { check: "cluster binary", state: "ok", machine: { binary: absent }, reason: "the first start builds it" },
    {
      check: "cluster binary",
      state: "fail",
      machine: { binary: { ...binary, state: "corrupt" } },
      reason: "the cluster cannot start",
    },
    {
      check: "cache directory",
      state: "ok",
      machine: { cache: { path: "/c", freeBytes: 1e9 } },
      reason: "the binary exists",
    },
    {
      check: "cache directory",
      state: "warn",
      machine: { binary: absent, cache: { path: "/c", freeBytes: 5e9 } },
      reason: "Go may need more",
    },
    {
      check: "cache directory",
      state: "fail",
      machine: { binary: absent, cache: { path: "/c", freeBytes: 0.4e9 } },
      reason: "the binary hardly fits",
    },
    { check: "data directory", state: "fail", machine: { data: { path: "/d", freeBytes: 0.1e9 } }, reason: "full" },
    {
      check: "data directory",
      state: "fail",
      machine: { data: { path: "/d", freeBytes: 50e9, obstacle: "no permission to write to /" } },
      reason: "no data can be written",
    },
    { check: "instances", state: "warn", machine: { instances: [damaged] }, reason: "an instance is damaged" },
  ];

describe("checkMachine", () => {
  test("a healthy machine has no next steps", () => {
    const checks = checkMachine(healthy);
    expect(checks.filter(({ state, next }) => state !== "ok" || next !== undefined)).toEqual([]);
  });

  test.for(cases)("the check $check is $state: $reason", ({ check, state, machine }) => {
    const checks = checkMachine({ ...healthy, ...machine });
    expect(checks.find((each) => each.check === check)?.state).toBe(state);
    expect(checks.filter((each) => each.state !== "ok" && each.next === undefined)).toEqual([]);
  });

  test("the check of a damaged binary names it and the damage", () => {
    const corrupt = { ...binary, state: "corrupt", detail: "3 bytes instead of 4" } as const;
    const check = checkMachine({ ...healthy, binary: corrupt }).find((each) => each.check === "cluster binary");
    expect(check?.detail).toBe("/cache/abc/tenon-cluster is damaged: 3 bytes instead of 4");
  });
});
