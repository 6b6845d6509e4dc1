import { describe, expect, test } from "vitest";
import { samplePair } from "../../kinds/sample-pair.fixture.ts";
import { addressOf } from "./address.ts";

const containers = [{ name: "main", ports: [{ name: "container", containerPort: 80 }] }];
const clusterDomain = "cluster.local";
const addressFor = (apparatus: object, debugEndpoint?: string) =>
  addressOf(samplePair({ apparatus }).plug, { clusterDomain, debugEndpoint });
/** As it may be stored, whatever the schema says today. */
const addressOfStored = (endpoint: string) => {
  const { plug } = samplePair();
  return addressOf({ ...plug, spec: { ...plug.spec, apparatus: { endpoint } } }, { clusterDomain });
};

const own = (prefix: string) => ({ kind: "own", prefix });
const elsewhere = (base: string) => ({ kind: "elsewhere", base });

describe("H88: an apparatus is called at its pod, or at the endpoint of the spec", () => {
  test.for([
    { endpoint: undefined, at: own(""), reason: "nothing said" },
    { endpoint: "", at: own(""), reason: "an empty text is nothing" },
    { endpoint: "/", at: own(""), reason: "only a slash" },
    { endpoint: "/socket", at: own("/socket"), reason: "a path below the pod" },
    { endpoint: "/socket/", at: own("/socket"), reason: "one slash at the end" },
    { endpoint: "/socket///", at: own("/socket"), reason: "several" },
    { endpoint: "/a/../b", at: own("/b"), reason: "a path that goes up" },
    { endpoint: "http://p-apparatus.app.svc/socket", at: own("/socket"), reason: "its own Service by name" },
    { endpoint: "http://p-apparatus.app.svc.cluster.local", at: own(""), reason: "its own Service by its whole name" },
    { endpoint: "http://p-apparatus.other.svc", at: elsewhere("http://p-apparatus.other.svc"), reason: "a like name" },
  ])("the address of an apparatus with containers: $reason", ({ endpoint, at }) => {
    expect(addressFor({ containers, ...(endpoint === undefined ? {} : { endpoint }) })).toEqual(at);
  });

  test.for([
    { endpoint: "http://keycloak.app.svc/socket/", base: "http://keycloak.app.svc/socket", reason: "as it is" },
    { endpoint: "https://a.example:8443", base: "https://a.example:8443", reason: "with a port" },
    { endpoint: "keycloak.app.svc:3000/socket", base: "http://keycloak.app.svc:3000/socket", reason: "no scheme" },
    { endpoint: "foo.bar", base: "http://foo.bar", reason: "seven characters" },
    { endpoint: "HTTP://A.example/X", base: "http://a.example/X", reason: "in capitals" },
  ])("the address of an apparatus without containers: $reason", ({ endpoint, base }) => {
    expect(addressFor({ endpoint, containers: [] })).toEqual(elsewhere(base));
  });

  test.for([
    { endpoint: "/socket", reason: "a path below no pod" },
    { endpoint: "", reason: "nothing at all" },
  ])("X14: an apparatus without containers needs an endpoint with a host: $reason", ({ endpoint }) => {
    expect(() => addressOfStored(endpoint)).toThrow(/no containers/);
  });

  test.for([
    { endpoint: "http://u:p@a.example", says: /user name or a password/, reason: "a password" },
    { endpoint: "http://a.example/x?y=1", says: /query/, reason: "a query" },
    { endpoint: "ftp://a.example", says: /http or https/, reason: "another scheme" },
    { endpoint: "http://", says: /http or https/, reason: "no host" },
  ])("is refused: $reason", ({ endpoint, says }) => {
    expect(() => addressOfStored(endpoint)).toThrow(says);
  });

  test("a debug endpoint replaces every endpoint, but only of objects with an apparatus", () => {
    expect(addressFor({ containers }, "http://127.0.0.1:99/x/")).toEqual(elsewhere("http://127.0.0.1:99/x"));
    expect(addressOf(samplePair().plug, { clusterDomain, debugEndpoint: "http://127.0.0.1" })).toBeUndefined();
  });
});
