import { expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { awaitIntegrations } from "./await-integrations.ts";
import type { IntegrationRow } from "./get-integrations.ts";

const choice = { integration: [], cluster: [], imageTagFromRef: [], clusterContext: [] };
const where = { cluster: "laptop", namespace: "tools", environment: "dev", shards: [], image: "a:1", lastChange: "" };
const ready: IntegrationRow = { ...where, integration: "census", desired: 1, running: 1, trouble: [] };
const pulling: IntegrationRow = { ...ready, running: 0, trouble: ["0 of 1 ready: ImagePullBackOff: a:1 not found"] };

/** Time passes only by sleeping; each survey finds the next rows, and the last again and again. */
async function awaitRows(...surveys: IntegrationRow[][]): Promise<string> {
  const shell = new FakeShell();
  let now = 0;
  const clock = { monotonic: () => now, sleep: async (ms: number) => void (now += ms) };
  let round = 0;
  await awaitIntegrations(choice, shell, clock, async () => ({
    rows: surveys[Math.min(round++, surveys.length - 1)] ?? [],
  }));
  return shell.stdout.text;
}

test("success is printed only when the pods of all integrations are ready", async () => {
  expect(await awaitRows([pulling, ready], [pulling, ready], [ready, ready])).toBe("2 integrations are ready\n");
});

test("a suspended integration is not waited for", async () => {
  const suspended = { ...pulling, trouble: ["suspended: a reason"], suspended: "a reason" };
  expect(await awaitRows([suspended])).toBe("1 integrations are ready\n");
});

test("pods that do not become ready are an error that says what they say", async () => {
  await expect(awaitRows([pulling, ready])).rejects.toMatchObject({
    what: "1 of 2 integrations are not ready after 3 min:\n  census in laptop/tools: 0 of 1 ready: ImagePullBackOff: a:1 not found",
    next: expect.stringContaining("`tenon get integrations`"),
  });
});
