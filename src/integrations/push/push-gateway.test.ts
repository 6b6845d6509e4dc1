import { describe, expect, test } from "vitest";
import { ResourceInventory } from "#inventory";
import { hearRequests } from "../notify/hear-requests.fixture.ts";
import { groupPath, PushGateway, readPushGateway } from "./push-gateway.ts";

const { signal } = new AbortController();

/** Takes what https://github.com/prometheus/pushgateway#api describes. */
async function gateway(status = 200) {
  const { origin, heard } = await hearRequests(() => status);
  return { address: origin.replace("http://", ""), pushed: heard };
}

function open(env: NodeJS.ProcessEnv): PushGateway {
  const options = readPushGateway(env);
  if (!options) throw new Error("there is a gateway");
  return new PushGateway(options);
}

function runWith(inventory?: ResourceInventory) {
  return { isSuccess: false, seconds: 1.5, inventory };
}

describe("a push to a gateway", () => {
  test("E-10: puts duration, status and the inventory into the group of qontract-reconcile, with a login", async () => {
    const { address, pushed } = await gateway();
    const inventory = new ResourceInventory();
    inventory.initialize("c1", "n1", "Deployment");
    const login = { PUSHGATEWAY_USERNAME: "u", PUSHGATEWAY_PASSWORD: "p" };
    await open({ PUSHGATEWAY_ENABLED: "true", PUSHGATEWAY_URL: address, ...login }).push(runWith(inventory), signal);
    const [first] = pushed;
    expect(first?.method).toBe("PUT");
    expect(first?.path).toBe("/metrics/job/qontract-reconcile/integration/integrations-manager/shards/1/shard_id/0-1");
    expect(first?.headers.authorization).toBe(`Basic ${Buffer.from("u:p").toString("base64")}`);
    expect(first?.headers["content-type"]).toContain("text/plain");
    const labels = 'integration="integrations-manager",shards="1",shard_id="0-1"';
    expect(first?.body).toContain(`qontract_reconcile_last_run_seconds{${labels}} 1.5`);
    expect(first?.body).toContain(`qontract_reconcile_last_run_status{${labels}} 1`);
    expect(first?.body).toMatch(
      /qontract_reconcile_openshift_resource_inventory\{.*kind="Deployment",state="desired"\} 0/,
    );
  });

  test("that is refused says why, and not the password", async () => {
    const { address } = await gateway(400);
    const login = { PUSHGATEWAY_USERNAME: "u", PUSHGATEWAY_PASSWORD: "do-not-print-me" };
    const pushing = open({ PUSHGATEWAY_URL: `http://${address}/`, ...login }).push(runWith(), signal);
    await expect(pushing).rejects.toThrow(/^the gateway answers 400: it says why$/);
  });

  test("encodes labels that a path cannot have", () => {
    expect(groupPath({ SHARD_KEY: "a b/c" })).toMatch(/\/shard_id@base64\/YSBiL2M$/);
    expect(groupPath({ SHARDS: "3", SHARD_ID: "2" })).toMatch(/\/shards\/3\/shard_id\/2-3$/);
  });
});

test.each([
  { env: {}, expected: undefined, reason: "no variable, no gateway" },
  { env: { PUSHGATEWAY_URL: "" }, expected: undefined, reason: "an empty variable counts as not set" },
  {
    env: { PUSHGATEWAY_URL: "gw:9091" },
    expected: "http://gw:9091",
    reason: "a scheme may be missing, as upstream allows",
  },
])("$reason", ({ env, expected }) => {
  expect(readPushGateway(env)?.url).toBe(expected);
});

test.each([
  { env: { PUSHGATEWAY_ENABLED: "true" }, message: "PUSHGATEWAY_URL is not" },
  { env: { PUSHGATEWAY_URL: "gw", PUSHGATEWAY_USERNAME: "u" }, message: "only one of" },
  { env: { PUSHGATEWAY_URL: "http://[" }, message: "not a valid URL" },
])("an incomplete gateway is refused: $message", ({ env, message }) => {
  expect(() => readPushGateway(env)).toThrow(message);
});
