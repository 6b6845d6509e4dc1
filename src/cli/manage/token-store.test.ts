import { expect, test } from "vitest";
import type { Home } from "../control/home-cluster.ts";
import { openTokenStore } from "./token-store.ts";

const noHome = async (): Promise<Home> => {
  throw new Error("nobody needs a cluster for this");
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
])("$text is $expected", async ({ text, env, expected }) => {
  expect((await openTokenStore(text, env, noHome)).description).toContain(expected);
});

test.for([
  { text: "files:/x", env: {}, expected: /is not known.*file:DIRECTORY/, reason: "no such kind" },
  { text: "file:", env: {}, expected: /is not known/, reason: "no directory" },
  { text: "", env: {}, expected: /is not known/, reason: "nothing" },
  { text: "vault", env: {}, expected: /VAULT_ADDR/, reason: "no address" },
  {
    text: "vault:https://v.example",
    env: { VAULT_ROLE_ID: "r" },
    expected: /how to log in.*VAULT_SECRET_ID/,
    reason: "half a login",
  },
  {
    text: "vault:https://v.example",
    env: { VAULT_TOKEN: "t", VAULT_CACERT: "/nowhere" },
    expected: /VAULT_CACERT/,
    reason: "no such authority",
  },
])("$text is refused: $reason", async ({ text, env, expected }) => {
  await expect(openTokenStore(text, env, noHome)).rejects.toThrow(expected);
});
