import { describe, expect, test } from "vitest";
import { inspect } from "node:util";
import { InputError, Secret } from "#base";
import type { ClusterData } from "../data/integration.ts";
import { clusterSources } from "./data-clusters.ts";
import { readClusterToken, tokenReference } from "./cluster-token.ts";
import type { TokenStore } from "./token-stores.ts";

const never = new AbortController().signal;
const serverUrl = "https://api.example.com:6443";
const cluster: ClusterData = {
  name: "c1",
  serverUrl,
  disabledIntegrations: [],
  automationToken: { path: "clusters/c1", field: "token" },
  automationTokens: [],
  labels: {},
};

function store(fields: Readonly<Record<string, string>> | undefined): TokenStore {
  const found = fields && new Map(Object.entries(fields).map(([name, value]) => [name, new Secret(value)]));
  return { description: "the test", read: async () => found };
}

const secret = (path: string) => ({ path, field: "token" });

async function failure(promise: Promise<unknown>): Promise<InputError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof InputError) return error;
  throw new Error(`it was not refused as it should be: ${inspect(error)}`);
}

describe("D-22: the error says why a cluster cannot be used", () => {
  test.each([
    { reason: "no automation token", data: { automationToken: undefined }, fields: {}, says: "no automation token" },
    { reason: "no serverUrl", data: { serverUrl: "" }, fields: { token: "t" }, says: "no serverUrl" },
    { reason: "no secret", data: {}, fields: undefined, says: "secret not found" },
    { reason: "no such field", data: {}, fields: { other: "t" }, says: "no field token" },
    {
      reason: "a token for another server",
      data: {},
      fields: { token: "t", server: "https://other.example.com" },
      says: "server URL mismatch",
    },
    {
      reason: "an unknown format",
      data: { automationToken: { path: "p", field: "token", format: "hex" } },
      fields: { token: "t" },
      says: "format is hex",
    },
    {
      reason: "no base64",
      data: { automationToken: { path: "p", field: "token", format: "base64" } },
      fields: { token: "not base64!" },
      says: "not base64",
    },
  ])("$reason", async ({ data, fields, says }) => {
    const error = await failure(readClusterToken({ ...cluster, ...data }, store(fields), never));
    expect(error.message).toContain(says);
    expect(error.next).toBeDefined();
  });

  test("no token store is set", async () => {
    expect((await failure(readClusterToken(cluster, undefined, never))).message).toContain("no token store is set");
  });

  test("a serverUrl that would send the token in the clear", async () => {
    const [source] = clusterSources([{ ...cluster, serverUrl: "http://api.example.com" }], {
      tokens: store({ token: "t" }),
    });
    expect((await failure(source?.open(never) ?? Promise.resolve())).message).toContain("is not an https URL");
  });
});

describe("D-22: a cluster that is disabled, or excluded by --internal or --external, is skipped", () => {
  test.each([
    {
      reason: "disabled for us",
      data: { disabledIntegrations: ["integrations-manager"] },
      side: undefined,
      skip: "it is disabled for integrations-manager",
    },
    { reason: "disabled for others", data: { disabledIntegrations: ["other"] }, side: undefined, skip: undefined },
    { reason: "--internal, and it is not", data: {}, side: "internal", skip: "it is not internal" },
    { reason: "--internal, and it is", data: { internal: true }, side: "internal", skip: undefined },
    { reason: "--external, and it is internal", data: { internal: true }, side: "external", skip: "it is internal" },
    { reason: "--external, and nothing is said", data: {}, side: "external", skip: undefined },
  ] as const)("$reason", ({ data, side, skip }) => {
    expect(clusterSources([{ ...cluster, ...data }], { side })[0]?.skip).toBe(skip);
  });
});

test("A-30: the first active token that has a secret and is not marked for deletion wins over the single token", () => {
  const automationTokens = [
    { active: false, delete: false, secret: secret("inactive") },
    { active: true, delete: true, secret: secret("to go") },
    { active: true, delete: false },
    { active: true, delete: false, secret: secret("this") },
    { active: true, delete: false, secret: secret("later") },
  ];
  expect(tokenReference({ ...cluster, automationTokens })?.path).toBe("this");
  expect(tokenReference(cluster)?.path).toBe("clusters/c1");
});

test("format: base64 is decoded, and the token cannot be printed", async () => {
  const encoded = Buffer.from("secret-token\n").toString("base64");
  const data = { ...cluster, automationToken: { path: "p", field: "token", format: "base64" } };
  const found = await readClusterToken(data, store({ token: encoded, server: serverUrl, "ca.crt": "PEM" }), never);
  expect(found.token.reveal()).toBe("secret-token");
  expect(found.certificateAuthority).toBe("PEM");
  expect(`${inspect(found)}${JSON.stringify(found)}`).not.toContain("secret-token");
});

test("what the user says goes before what the data says, and two ways to one cluster have one endpoint", () => {
  const clusters = [
    { ...cluster, name: "a" },
    { ...cluster, name: "b" },
    { ...cluster, name: "c" },
  ];
  const reaches = new Map([["a", { context: "mine" }]]);
  const targets = (options: Parameters<typeof clusterSources>[1]) =>
    clusterSources(clusters, options).map(({ endpoint }) => endpoint);
  expect(targets({ reaches })).toEqual(["the context mine", serverUrl, serverUrl]);
  expect(targets({ reaches, everyCluster: { inCluster: true } })).toEqual([
    "the context mine",
    "the cluster that Tenon runs in",
    "the cluster that Tenon runs in",
  ]);
});
