import { expect, test } from "vitest";
import { createMetrics, describeError } from "#base";
import { useManaged } from "#harness";
import { describePlan, serialisePlan } from "#inventory";
import { secret } from "./managed/objects.ts";

const world = useManaged(["Secret", "ConfigMap"]);

test("no value of a Secret is in the log at debug level, in plans, calls, outcomes, metrics or errors", async () => {
  const values = ["hunter22-first", "hunter22-second", "not base64 hunter22-third"];
  const metrics = createMetrics();
  const outputs: unknown[] = [];
  const faulty = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "faulty" },
    data: { password: values[2] ?? "" },
  };
  const unfit = { ...secret("unfit", { password: values[0] ?? "" }), dataa: { password: values[1] ?? "" } };
  for (const [index, dryRun] of [
    [0, true],
    [0, false],
    [1, true],
    [1, false],
  ] as const) {
    const wanted = [secret("key", { password: values[index] ?? "" }), faulty, unfit];
    const { plan, outcomes } = await world.run(wanted, { dryRun, metrics });
    outputs.push(describePlan(plan), serialisePlan(plan), outcomes);
  }
  await world.inventory([faulty, faulty]).catch((error: unknown) => outputs.push(describeError(error)));
  outputs.push(world.lines, (await metrics.expose()).body);
  const text = JSON.stringify(outputs);
  expect(text.includes("data.password"), "one can see that it changed").toBe(true);
  expect(text.includes("REDACTED"), "and that something failed").toBe(true);
  const encoded = values.map((value) => Buffer.from(value).toString("base64").slice(0, -3));
  expect([...values, ...encoded].filter((value) => text.includes(value))).toEqual([]);
});
