import { expect, test } from "vitest";
import type { JsonObject } from "#base";
import { fc, seed } from "#seeded";
import { computeDesired } from "./compute-desired.ts";
import {
  environment,
  integration,
  managed,
  namespace,
  ourChart,
  sampleData,
  sampleOptions,
} from "./sample-world.fixture.ts";

const { signal } = new AbortController();

const { metadata, ...parts } = ourChart;
/** The same chart, which does not say that it may be rendered for many namespaces at once. */
const oneByOne = { ...parts, metadata: { ...metadata, annotations: undefined } };

/** Names of parameters, beginnings of others, and what their parameters could be taken for. */
const names = ["a", "a-b", "a-fluentd", "b", "image", "slack", "sleep-duration-secs", "dry-run"];

const spec = fc.constantFrom<JsonObject>(
  {},
  { cron: "@daily" },
  { state: true, sleepDurationSecs: "7" },
  { logs: { slack: true }, fluentdResources: { limits: { memory: "1Gi" } } },
  { extraEnv: [{ name: "V", value: "${IMAGE_TAG} ${A_CPU_REQUEST}" }] },
  { carrierPigeon: true },
);
const target = fc.record({
  name: fc.constantFrom(...names),
  at: fc.nat(3),
  spec,
  shards: fc.integer({ min: 0, max: 2 }),
});

test("many namespaces rendered at once give what each gives alone", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(target, { maxLength: 8 }), async (targets) => {
      const files: Record<string, JsonObject> = {
        "/environments/prod.yml": environment("prod", { A_CPU_REQUEST: "9m", IMAGE_TAG: "v1" }),
      };
      for (const at of [0, 1, 2, 3]) {
        files[`/namespaces/${at}.yml`] = namespace(`n${at}`, at % 2 === 0 ? "test" : "prod", "c1");
      }
      for (const [name, entries] of Map.groupBy(targets, (one) => one.name)) {
        const written = entries.map((entry) =>
          managed(`/namespaces/${entry.at}.yml`, entry.spec, { strategy: "static", shards: entry.shards }),
        );
        files[`/integrations/${name}.yml`] = integration(name, written);
      }
      const data = sampleData(files);
      const atOnce = await computeDesired(data, sampleOptions(), signal);
      expect(atOnce).toEqual(await computeDesired(data, sampleOptions({ chart: oneByOne }), signal));
    }),
    { seed, numRuns: 60 },
  );
});
