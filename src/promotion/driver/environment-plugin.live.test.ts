import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeError, silentLogger, systemClock } from "#base";
import { expect, test } from "vitest";
import { useEnvironments } from "../environments/use-environments.fixture.ts";
import { environmentDriver } from "./driver-names.ts";
import { EnvironmentPlugin } from "./environment-plugin.ts";
import { PreparedClaims } from "./prepared-claims.ts";
import { resourceVersion } from "./resource-slice.ts";

const world = useEnvironments();
const { namespace } = world;
const claimKind = { apiVersion: resourceVersion, kind: "ResourceClaim" };

/** A ResourceClaim that the scheduler has given an environment of a class. */
async function allocatedClaim(name: string, className: string) {
  const requests = [{ name: "env", exactly: { deviceClassName: "any" } }];
  const made = await world.client.create({
    ...claimKind,
    metadata: { name, namespace },
    spec: { devices: { requests } },
  });
  const opaque = { driver: environmentDriver, parameters: { className } };
  const results = [{ request: "env", driver: environmentDriver, pool: "node", device: "slot-0" }];
  const status = { allocation: { devices: { results, config: [{ source: "FromClass", opaque }] } } };
  await world.client.patch(
    { ...claimKind, namespace, name },
    { type: "merge", subresource: "status", body: { status } },
  );
  return { namespace, name, uid: made.metadata.uid ?? "" };
}

/** What the event of the pod says when its claim cannot be prepared. */
async function refusalOf(name: string, className: string): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "tenon-plugin-"));
  const plugin = new EnvironmentPlugin({
    client: world.client,
    provider: { renew: () => Promise.reject(new Error("expected no token to be asked for")) },
    files: new PreparedClaims({ directory: join(folder.path, "claims"), cdiDirectory: join(folder.path, "cdi") }),
    clock: systemClock,
    log: silentLogger,
  });
  const claim = await allocatedClaim(name, className);
  return await plugin.prepare(claim, new AbortController().signal).then(
    () => "prepared",
    (error: unknown) => describeError(error),
  );
}

test("a pod whose class is on another cluster is refused, makes no claim, and is told to use the Secret of an EphemeralClaim", async () => {
  const className = await world.createClass("elsewhere", { provider: "cluster", cluster: { secretName: "elsewhere" } });
  expect(await refusalOf("elsewhere", className)).toBe(
    `the environments of EphemeralClass ${className} are on another cluster; make an EphemeralClaim, and use its Secret as a workspace: the driver may not read Secrets, where the token is`,
  );
  expect((await world.client.list(world.claims)).items).toEqual([]);
});

test("a pod whose class does not exist is refused, and told where its name comes from", async () => {
  expect(await refusalOf("unknown", `${namespace}-unknown`)).toBe(
    `EphemeralClass ${namespace}-unknown not found; create it, or name another in the parameters of the DeviceClass`,
  );
});
