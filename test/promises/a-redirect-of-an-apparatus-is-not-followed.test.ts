import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultApparatusSettings } from "#coupling";
import { useCoupling } from "#harness";
import { useTenant } from "./hostile/use-tenant.ts";

const seen = { redirecting: 0, target: 0 };
const target = createServer((_, response) => {
  seen.target += 1;
  response.end("{}");
});
const redirecting = createServer((request, response) => {
  seen.redirecting += 1;
  const isPing = request.url?.endsWith("/ping") === true;
  response.writeHead(isPing ? 404 : 307, { location: `http://127.0.0.1:${portOf(target)}/config` });
  response.end();
});

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

for (const server of [target, redirecting]) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}
// Loopback is called in development only, which is what lets a test answer.
const debugEndpoints = { plug: `http://127.0.0.1:${portOf(redirecting)}` };
const world = useCoupling({ apparatusSettings: { ...defaultApparatusSettings, debugEndpoints } });
const tenant = useTenant(world, "redirected");

beforeAll(async () => {
  await world.apply(world.socket("s", {}));
});
afterAll(() => {
  for (const server of [target, redirecting]) server.close();
});

test("F-10: an apparatus that answers with a redirect has failed, and the target of the redirect is not called", async () => {
  const apparatus = { endpoint: "http://anywhere.example", containers: [] };
  await tenant.create(tenant.plug("led", { socket: { name: "s", namespace: world.prov }, apparatus }));
  expect(await tenant.refusal("led")).toMatch(/event created failed with 307 status from POST/);
  expect(seen.redirecting).toBeGreaterThan(0);
  expect(seen.target).toBe(0);
});
