import { describe, expect, test } from "vitest";
import { type Clock, Secret, systemClock } from "#base";
import type { VaultSecretRef } from "../data/integration.ts";
import { type SampleVault, startSampleVault } from "./sample-vault.fixture.ts";
import type { TokenStore } from "./token-stores.ts";
import type { VaultLogin, VaultOptions } from "./vault-server.ts";
import { vaultTokens } from "./vault-tokens.ts";

const never = new AbortController().signal;
const root = { token: new Secret("root-token") };
const role = { roleId: "role", secretId: new Secret("secret-id") };
/** Waits are over at once. */
const clock: Clock = { ...systemClock, sleep: async () => {} };

const secrets = {
  kv1: { "old/clusters/c1": { token: "one", server: "https://c1" } },
  kv2: { "new/deep/c2": [{ token: "first" }, { token: "newest-t0ken" }] },
};

function open({ address }: SampleVault, login: VaultLogin = root, more: Partial<VaultOptions> = {}): TokenStore {
  return vaultTokens({ address, login, clock, ...more });
}

async function read(store: TokenStore, path: string, more: Partial<VaultSecretRef> = {}): Promise<unknown> {
  const fields = await store.read({ cluster: "c", reference: { path, field: "token", ...more } }, never);
  return fields && Object.fromEntries([...fields].map(([name, secret]) => [name, secret.reveal()]));
}

describe("tokens in Vault", () => {
  test.each([
    { reason: "version 1", path: "old/clusters/c1", fields: { token: "one", server: "https://c1" } },
    { reason: "version 1 with slashes", path: "/old/clusters/c1/", fields: { token: "one", server: "https://c1" } },
    { reason: "version 2: the newest", path: "new/deep/c2", fields: { token: "newest-t0ken" } },
    { reason: "version 2: the one that is named", path: "new/deep/c2", version: 1, fields: { token: "first" } },
    { reason: "a version that is not there", path: "new/deep/c2", version: 7, fields: undefined },
    { reason: "nothing there", path: "new/deep/c3", fields: undefined },
  ])("key-value engine, $reason", async ({ path, fields, ...more }) => {
    await using vault = await startSampleVault(secrets);
    expect(await read(open(vault), path, more)).toEqual(fields);
  });

  test("an engine is asked once what it is", async () => {
    await using vault = await startSampleVault(secrets);
    const store = open(vault);
    await read(store, "new/deep/c2");
    await read(store, "new/deep/c3");
    expect(vault.requests.filter((request) => request.includes("mounts"))).toHaveLength(1);
  });

  test("an AppRole logs in once, and again when its session has run out", async () => {
    await using vault = await startSampleVault(secrets);
    const store = open(vault, role);
    await read(store, "old/clusters/c1");
    await read(store, "old/clusters/c1");
    expect(vault.requests.filter((request) => request.startsWith("POST"))).toHaveLength(1);
    vault.expire();
    expect(await read(store, "old/clusters/c1")).toMatchObject({ token: "one" });
    expect(vault.requests.filter((request) => request.startsWith("POST"))).toHaveLength(2);
  });

  test("a namespace is named in each request", async () => {
    await using vault = await startSampleVault({ ...secrets, namespace: "team/a" });
    expect(await read(open(vault, role, { namespace: "team/a" }), "old/clusters/c1")).toMatchObject({ token: "one" });
    await expect(read(open(vault, role), "old/clusters/c1")).rejects.toThrow("404");
  });

  test("a busy Vault is asked again, a limited number of times", async () => {
    await using vault = await startSampleVault(secrets);
    const sealed = { status: 503, errors: ["Vault is sealed"] };
    vault.failures.push(sealed, sealed);
    expect(await read(open(vault), "old/clusters/c1")).toMatchObject({ token: "one" });
    vault.failures.push(...Array.from({ length: 10 }, () => sealed));
    await expect(read(open(vault), "old/clusters/c1")).rejects.toThrow("503 because it is sealed");
  });

  test.each([
    {
      reason: "a token without rights",
      login: { token: new Secret("expired-token") },
      path: "old/clusters/c1",
      says: "permission denied",
    },
    {
      reason: "a wrong AppRole",
      login: { ...role, secretId: new Secret("wrong-secret") },
      path: "old/clusters/c1",
      says: "does not accept the AppRole",
    },
    { reason: "an engine that is not there", login: root, path: "none/x", says: "let the token's policy read it" },
    { reason: "a path that leads out", login: root, path: "old/../sys/raw", says: "leads out of its engine" },
    {
      reason: "a version of what has none",
      login: root,
      path: "old/clusters/c1",
      version: 2,
      says: "leave out `version`",
    },
  ])("says what is wrong: $reason", async ({ login, path, says, ...more }) => {
    await using vault = await startSampleVault(secrets);
    const error = await read(open(vault, login), path, more).then(
      () => new Error("nothing"),
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toContain(says);
    expect(String(error)).not.toMatch(/expired-token|wrong-secret|root-token/);
  });

  test("an address that is not a URL is refused at once", () => {
    expect(() => vaultTokens({ address: "vault:8200", login: root })).toThrow("is not a URL");
  });
});
