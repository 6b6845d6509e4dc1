import { describe, expect, test } from "vitest";
import { checkAddress, checkUrl, guardedLookup } from "./egress.ts";

const rules = {
  allow: ["keycloak.example.com", "*.corp.example", "10.1.2.3", "ported.example:8080", "[2001:db8::7]", "127.0.0.1"],
  clusterDomain: "cluster.local",
  apiServer: ["10.96.0.1", "10.0.0.5"],
};
const check = (url: string, namespace = "app") => checkUrl(new URL(url), namespace, rules, "Plug app/p");

describe("H88: an apparatus may be at a Service of its own namespace or at an allowed host, and at no other address", () => {
  test.for([
    { url: "http://db.app.svc", reason: "a Service in the own namespace" },
    { url: "http://db.app.svc.cluster.local:3000/x", reason: "by its whole name" },
    { url: "http://db-0.db.app.svc", reason: "a pod of a StatefulSet" },
    { url: "http://DB.App.SVC.", reason: "in capitals, with the dot of the root" },
    { url: "https://keycloak.example.com/x", reason: "allowed by name" },
    { url: "http://a.b.corp.example", reason: "below an allowed domain" },
    { url: "http://10.1.2.3:9", reason: "an allowed address" },
    { url: "http://ported.example:8080", reason: "at the allowed port" },
    { url: "http://[2001:db8::7]", reason: "an allowed IPv6 address" },
  ])("allowed: $reason", ({ url }) => {
    expect(() => check(url)).not.toThrow();
  });

  test.for([
    { url: "http://db.other.svc", says: /not on the allow list/, reason: "a Service of another namespace" },
    { url: "http://app.svc", says: /not on the allow list/, reason: "a namespace and no Service" },
    { url: "http://evilapp.svc", says: /not on the allow list/, reason: "a name that ends alike" },
    { url: "http://db.app.svc.evil.example", says: /not on the allow list/, reason: "a name that begins alike" },
    { url: "http://corp.example", says: /not on the allow list/, reason: "the allowed domain itself" },
    { url: "http://ported.example", says: /not on the allow list/, reason: "another port" },
    { url: "http://10.9.9.9", says: /not on the allow list/, reason: "any other address" },
    { url: "http://169.254.169.254/latest", says: /link-local/, reason: "a cloud's credentials" },
    { url: "http://127.0.0.1", says: /loopback/, reason: "loopback, although allowed" },
    { url: "http://2130706433", says: /loopback/, reason: "loopback in decimal" },
    { url: "http://0x7f.1", says: /loopback/, reason: "loopback in hexadecimal" },
    { url: "http://0177.0.0.1", says: /loopback/, reason: "loopback in octal" },
    { url: "http://127.1.", says: /loopback/, reason: "a dot at the end" },
    { url: "http://[::1]", says: /loopback/, reason: "loopback of IPv6" },
    { url: "http://[::ffff:127.0.0.1]", says: /loopback/, reason: "IPv4 mapped to IPv6" },
    { url: "http://[::ffff:a9fe:a9fe]", says: /link-local/, reason: "the same in hexadecimal" },
    { url: "http://[::127.0.0.1]", says: /embeds an IPv4 address/, reason: "an address compatible with IPv4" },
    { url: "http://[64:ff9b::7f00:1]", says: /embeds an IPv4 address/, reason: "an address of NAT64" },
    { url: "http://[fe80::1]", says: /link-local/, reason: "link-local of IPv6" },
    { url: "http://0.0.0.0", says: /not the address of a host/, reason: "unspecified" },
    { url: "http://[::]", says: /never called/, reason: "unspecified of IPv6" },
    { url: "http://224.0.0.1", says: /multicast/, reason: "multicast" },
    { url: "http://10.0.0.5", says: /the API server/, reason: "the API server" },
    { url: "http://[::ffff:10.96.0.1]", says: /the API server/, reason: "the API server in disguise" },
    { url: "http://localhost", says: /not on the allow list/, reason: "loopback by name" },
  ])("refused: $reason", ({ url, says }) => {
    expect(() => check(url)).toThrow(says);
  });

  test.for([
    { url: "http://db.app.svc", allow: [], leave: "own Service", reason: "no option is set" },
    { url: "http://db.app.svc:81", allow: ["db.app.svc:80"], leave: "own Service", reason: "another port was allowed" },
    { url: "http://DB.app.svc.", allow: ["db.app.svc"], leave: "allowed", reason: "an administrator vouches for it" },
  ])("a Service of the own namespace is accepted as $leave: $reason", ({ url, allow, leave }) => {
    expect(checkUrl(new URL(url), "app", { ...rules, allow }, "Plug app/p")).toBe(leave);
  });

  test("ordinary addresses may be dialled", () => {
    for (const address of ["10.244.1.7", "192.168.0.1", "8.8.8.8", "2001:4860::8888", "fd12:3456::1"]) {
      expect(() => checkAddress(address, rules.apiServer, "x")).not.toThrow();
    }
  });
});

const dial = (answers: readonly string[][], all = true) => {
  const left = [...answers];
  const resolve = async () =>
    (left.shift() ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const lookup = guardedLookup(async () => rules.apiServer, resolve);
  return new Promise((done, fail) => {
    lookup("db.app.svc", { all }, (error, found) => (error ? fail(error) : done(found)));
  });
};

describe("the addresses of a name", () => {
  test("are checked once, and only checked addresses are dialled", async () => {
    expect(await dial([["10.244.0.9"], ["127.0.0.1"]])).toEqual([{ address: "10.244.0.9", family: 4 }]);
    expect(await dial([["10.244.0.9"], ["127.0.0.1"]], false)).toBe("10.244.0.9");
  });

  test.for([
    { answer: ["127.0.0.1"], reason: "loopback" },
    { answer: ["10.244.0.9", "169.254.169.254"], reason: "one of several" },
    { answer: ["::ffff:169.254.169.254"], reason: "in disguise" },
    { answer: ["fe80::1%eth0"], reason: "with a zone" },
    { answer: ["10.96.0.1"], reason: "the API server" },
  ])("is refused: $reason", async ({ answer }) => {
    await expect(dial([answer])).rejects.toThrow(/never called/);
  });

  test("may be none", async () => {
    await expect(dial([[]])).rejects.toThrow(/no address/);
  });
});
