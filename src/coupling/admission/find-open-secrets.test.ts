import { expect, test } from "vitest";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { findOpenSecrets } from "./find-open-secrets.ts";

const secret = { configSecretName: "sec" };
const hidden = { plugVisible: false };

test.each([
  { spec: {}, says: undefined, reason: "there is nothing secret" },
  {
    spec: secret,
    says: "Secret sec (spec.configSecretName), as the interface declares no keys",
    reason: "no interface",
  },
  {
    spec: { ...secret, interface: { config: { socket: { host: {}, password: {} } } }, config: { host: "h" } },
    says: "password of Secret sec (spec.configSecretName)",
    reason: "only some keys can be from the Secret",
  },
  {
    spec: { ...secret, interface: { config: { socket: { password: hidden } } } },
    says: undefined,
    reason: "the only key is hidden",
  },
  { spec: { dataSecretName: "d" }, says: "Secret d (spec.dataSecretName)", reason: "data has no interface" },
  {
    spec: {
      interface: { config: { socket: { a: { sensitive: true } } }, result: { socket: { b: { sensitive: true } } } },
    },
    says: "config key a, result key b (sensitive)",
    reason: "marked as sensitive",
  },
  {
    spec: {
      vars: [{ name: "token", objref: { version: "v1", kind: "Secret", name: "s" } }],
      configTemplate: { url: "{% .vars.token %}", plain: "x" },
    },
    says: "config key url, computed from a Secret",
    reason: "a var reads a Secret",
  },
  { spec: { ...secret, allowedPlugs: { namespaces: "Same" } }, says: undefined, reason: "only its own namespace" },
  { spec: { ...secret, allowedPlugs: { namespaces: "All" } }, says: undefined, reason: "the owner says so" },
  { spec: { ...secret, allowedPlugs: { serviceAccounts: ["a/b"] } }, says: undefined, reason: "only named accounts" },
  { spec: { ...secret, validation: { namespaceWhitelist: ["a"] } }, says: undefined, reason: "an allow-list" },
])("secrets of a socket that every namespace can read: $reason", ({ spec, says }) => {
  const found = findOpenSecrets(samplePair({}, spec).socket);
  expect(found?.split("; restrict")[0]).toBe(says && `plugs of every namespace can read ${says}`);
});

test("a socket that admits accounts of any namespace by name is open to all", () => {
  const { socket } = samplePair({}, { ...secret, allowedPlugs: { serviceAccounts: ["default"] } });
  expect(findOpenSecrets(socket)).toContain("Secret sec");
});
