import { describe, expect, test } from "vitest";
import type { JsonObject } from "#base";
import type { ManagerData } from "../data/read-integrations.ts";
import { computeDesired } from "./compute-desired.ts";
import type { DesiredOptions } from "./desired.ts";
import { type DesiredStore, recallDesired } from "./kept-desired.ts";
import {
  environment,
  foreignChart,
  integration,
  managed,
  ourChart,
  sampleCommit,
  sampleData,
  sampleOptions,
} from "./sample-world.fixture.ts";

const { signal } = new AbortController();

class MemoryStore implements DesiredStore {
  readonly texts: Map<string, string>;
  readonly code: string;

  constructor(code = "code-1", texts = new Map<string, string>()) {
    this.code = code;
    this.texts = texts;
  }

  find(key: string): string | undefined {
    return this.texts.get(key);
  }

  keep(key: string, text: string): void {
    this.texts.set(key, text);
  }
}

const files = {
  "/integrations/a.yml": integration("a", [
    managed("test", { extraEnv: [{ name: "LEVEL", value: "high" }] }, { strategy: "static", shards: 3 }),
    managed("prod", { cron: "@daily" }),
  ]),
  "/integrations/b.yml": integration("b", [managed("test", { state: true, storage: "1Gi" })]),
};

async function recall(store: DesiredStore, more: Partial<DesiredOptions> = {}, data: ManagerData = sampleData(files)) {
  let isComputed = false;
  const location = data.bundle && "./data";
  const read = { identity: data.identity, ...(location !== undefined && { location }) };
  const desired = await recallDesired(read, sampleOptions(more), store, (options) => {
    isComputed = true;
    return computeDesired(data, options, signal);
  });
  return { desired, isComputed };
}

test("a second run with the same data, chart, options and code computes nothing, and gets the same", async () => {
  const store = new MemoryStore();
  const first = await recall(store);
  const second = await recall(store);
  expect([first.isComputed, second.isComputed]).toEqual([true, false]);
  expect(second.desired).toEqual(first.desired);
  const marks = ({ desired }: typeof first) =>
    desired.groups.flatMap(({ resources }) => resources.map((one) => [one.sha256(), one.caller, one.stamped()]));
  expect(marks(second)).toEqual(marks(first));
  expect(marks(second).length).toBeGreaterThan(4);
});

describe("what a desired state depends on", () => {
  const changedChart = {
    ...ourChart,
    templates: ourChart.templates.map((file, index) =>
      index === 0 ? { ...file, data: Buffer.concat([file.data, Buffer.from("{{/* changed */}}")]) } : file,
    ),
  };
  test.for<{ reason: string; more?: Partial<DesiredOptions>; data?: ManagerData; code?: string }>([
    { reason: "the data", data: sampleData({ ...files, "/integrations/c.yml": integration("c", [managed()]) }) },
    { reason: "a file of the chart", more: { chart: changedChart } },
    { reason: "an option", more: { image: "other.example/image" } },
    { reason: "another option", more: { integration: ["a"] } },
    { reason: "our code", code: "code-2" },
    {
      reason: "a variable that gives a parameter its value now",
      more: { processEnv: { LOG_LEVEL: "debug", IMAGE_TAG: "v2" } },
    },
  ])("a desired state is computed again if $reason changed", async ({ more = {}, data, code }) => {
    const store = new MemoryStore();
    await recall(store);
    const { isComputed } = await recall(new MemoryStore(code, store.texts), more, data);
    expect(isComputed).toBe(true);
  });

  test("a text that is cut off is computed again", async () => {
    const store = new MemoryStore();
    await recall(store);
    for (const [key, text] of store.texts) store.texts.set(key, text.slice(0, -1));
    expect((await recall(store)).isComputed).toBe(true);
  });
});

describe("what is not kept", () => {
  const { metadata, ...parts } = ourChart;
  const secretChart = {
    ...ourChart,
    templates: [
      ...ourChart.templates,
      {
        name: "templates/secret.yaml",
        origin: "test",
        data: Buffer.from("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2}\n"),
      },
    ],
  };
  const withRepositories = environment("test", {
    INTEGRATION_UPSTREAM_REPOS: [{ repo: "https://github.com/app-sre/qontract-reconcile", ref: "main" }],
  });
  const invalid: Record<string, JsonObject> = {
    ...files,
    "/integrations/bad.yml": integration("bad_name", [managed("test")]),
  };
  const { bundle: _, ...serverData } = sampleData(files);
  test.for<{ reason: string; more?: Partial<DesiredOptions>; data?: ManagerData }>([
    { reason: "of a chart that does not promise repeatable renderings", more: { chart: foreignChart } },
    {
      reason: "of a chart without annotations",
      more: { chart: { ...parts, metadata: { ...metadata, annotations: undefined } } },
    },
    { reason: "with a Secret", more: { chart: secretChart } },
    { reason: "with a parameter from a variable of the process", more: { processEnv: { IMAGE_TAG: "v2" } } },
    { reason: "with image tags from refs of the command line", more: { imageTagFromRef: new Map([["test", "main"]]) } },
    {
      reason: "with image tags from refs of the data",
      data: sampleData({ ...files, "/environments/test.yml": withRepositories }),
      more: { resolveRef: async () => sampleCommit },
    },
    { reason: "with an error", data: sampleData(invalid) },
    { reason: "of a server's data", data: serverData },
  ])("a desired state $reason is not kept", async ({ more = {}, data }) => {
    const store = new MemoryStore();
    const { isComputed } = await recall(store, more, data);
    expect(isComputed).toBe(true);
    expect([...store.texts]).toEqual([]);
  });
});
