import { expect, test } from "vitest";
import type { HomeCluster } from "../control/home-cluster.ts";
import { openTokenStore } from "./open-token-store.ts";

const noHome = async (): Promise<HomeCluster> => {
  throw new Error("no cluster is needed for this");
};

test.for([
  { text: "file:/etc/tokens", env: {}, expected: "the directory /etc/tokens" },
  { text: "environment", env: {}, expected: "the environment" },
  { text: "vault:https://vault.example.com", env: { VAULT_TOKEN: "t" }, expected: "https://vault.example.com" },
  {
    text: "vault",
    env: { VAULT_ADDR: "https://v.example", VAULT_ROLE_ID: "r", VAULT_SECRET_ID: "s" },
    expected: "https://v.example",
  },
])("the token store $text is $expected", async ({ text, env, expected }) => {
  expect((await openTokenStore(text, env, noHome)).description).toContain(expected);
});

test.for([
  { text: "files:/x", env: {}, expected: /expected file:DIRECTORY, .*got "files:\/x"/, reason: "an unknown kind" },
  { text: "file:", env: {}, expected: /expected file:DIRECTORY/, reason: "no directory" },
  { text: "", env: {}, expected: /expected file:DIRECTORY/, reason: "an empty text" },
  { text: "vault", env: {}, expected: /VAULT_ADDR/, reason: "no address" },
  {
    text: "vault:https://v.example",
    env: { VAULT_ROLE_ID: "r" },
    expected: /no Vault login is set.*VAULT_SECRET_ID/,
    reason: "an incomplete login",
  },
  {
    text: "vault:https://v.example",
    env: { VAULT_TOKEN: "t", VAULT_CACERT: "/nowhere" },
    expected: /VAULT_CACERT/,
    reason: "a missing certificate authority",
  },
])("the token store $text is an error: $reason", async ({ text, env, expected }) => {
  await expect(openTokenStore(text, env, noHome)).rejects.toThrow(expected);
});
