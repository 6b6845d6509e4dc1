import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environmentTokens, fileTokens, kubernetesTokens, type TokenStore, tokenVariable } from "./token-stores.ts";

const never = new AbortController().signal;

async function read(store: TokenStore, path: string, field = "token"): Promise<unknown> {
  const fields = await store.read({ cluster: "prod-eu", reference: { path, field } }, never);
  return fields && Object.fromEntries([...fields].map(([name, secret]) => [name, secret.reveal()]));
}

describe("tokens in a directory", () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "tenon-tokens-"));
    await mkdir(join(directory, "clusters", "c1"), { recursive: true });
    await writeFile(join(directory, "clusters", "c1", "token"), "one\n");
    await writeFile(join(directory, "clusters", "c1", "server"), "https://c1\n");
    await writeFile(join(directory, "clusters", "c1", "unasked"), "x");
    await writeFile(join(directory, "clusters", "c2"), "token: two\nserver: https://c2\nnumber: 3\n");
    await writeFile(join(directory, "clusters", "c3"), "- no map\n");
  });
  afterAll(() => rm(directory, { recursive: true }));

  test.each([
    { reason: "a file for each field", path: "clusters/c1", fields: { token: "one", server: "https://c1" } },
    {
      reason: "slashes at the ends do not count",
      path: "/clusters/c1/",
      fields: { token: "one", server: "https://c1" },
    },
    { reason: "one file with all fields", path: "clusters/c2", fields: { token: "two", server: "https://c2" } },
    { reason: "nothing there", path: "clusters/c4", fields: undefined },
    { reason: "below a file", path: "clusters/c2/x", fields: undefined },
  ])("$reason", async ({ path, fields }) => {
    expect(await read(fileTokens(directory), path)).toEqual(fields);
  });

  test.each([
    { reason: "a path that leads out", path: "../clusters/c1", field: "token" },
    { reason: "a path that leads out later", path: "clusters/../../etc", field: "token" },
    { reason: "a field that leads out", path: "clusters/c1", field: "../c2" },
    { reason: "a file that is not a map", path: "clusters/c3", field: "token" },
  ])("refuses $reason", async ({ path, field }) => {
    await expect(read(fileTokens(directory), path, field)).rejects.toThrow("write");
  });
});

test("a directory of tokens that does not exist is named, and not the secret that is looked for there", async () => {
  await expect(read(fileTokens("/nowhere/at/all"), "clusters/c1")).rejects.toThrow(
    "/nowhere/at/all: the directory of tokens does not exist; mount or create it",
  );
});

test("tokens in the environment go by the cluster's name", async () => {
  expect(tokenVariable("prod-eu.1")).toBe("TENON_TOKEN_PROD_EU_1");
  expect(await read(environmentTokens({ TENON_TOKEN_PROD_EU: "t" }), "any/path", "key")).toEqual({ key: "t" });
  expect(await read(environmentTokens({ TENON_TOKEN_PROD_EU: "" }), "any/path")).toBeUndefined();
});

test("tokens in Secrets: the slashes of a path are dots", async () => {
  const asked: unknown[] = [];
  const store = kubernetesTokens(
    {
      async find(ref) {
        asked.push(ref);
        const data = { token: Buffer.from("t").toString("base64") };
        return ref.name === "clusters.c1"
          ? { apiVersion: "v1", kind: "Secret", metadata: { name: ref.name }, data }
          : undefined;
      },
    },
    "tenon",
  );
  expect(await read(store, "clusters/c1")).toEqual({ token: "t" });
  expect(await read(store, "clusters/c2")).toBeUndefined();
  expect(asked).toMatchObject([{ namespace: "tenon", name: "clusters.c1" }, { name: "clusters.c2" }]);
  await expect(read(store, "Clusters/c_1")).rejects.toThrow("does not make a valid name for a Secret");
});
