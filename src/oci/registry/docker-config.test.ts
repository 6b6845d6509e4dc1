import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { mergeCredentials, parseDockerConfig, type RegistryCredentials } from "./docker-config.ts";
import { parseImageReference } from "./image-reference.ts";

const auth = (user: string, password = "pass-of-it"): { auth: string } => ({
  auth: Buffer.from(`${user}:${password}`).toString("base64"),
});
const parse = (config: unknown): RegistryCredentials => parseDockerConfig(JSON.stringify(config), "Secret a/b");
const userFor = (credentials: RegistryCredentials, image: string): string | undefined =>
  credentials.find(parseImageReference(image))?.username;

describe("credentials of registries", () => {
  const credentials = parse({
    auths: {
      "https://index.docker.io/v1/": auth("hub"),
      "quay.io": auth("host"),
      "quay.io/acme": auth("org"),
      "quay.io/acme/web": auth("repository"),
      "https://reg.local:5000/v2/": auth("port"),
      "*.example.com": auth("glob"),
      "eu.example.com": auth("exact"),
      "empty.io": {},
      "null.io": null,
      "plain.io": { username: "plain", password: "secret-word" },
    },
  });

  test.for([
    { image: "alpine", user: "hub", reason: "Docker Hub by its older address" },
    { image: "quay.io/other/web", user: "host", reason: "the host" },
    { image: "quay.io/acme/api", user: "org", reason: "a longer prefix" },
    { image: "quay.io/acme/web", user: "repository", reason: "the longest prefix" },
    { image: "quay.io/acme/web/sub", user: "repository", reason: "a prefix of a longer path" },
    { image: "quay.io/acme/website", user: "org", reason: "a prefix ends at a slash" },
    { image: "quay.io/acmes/web", user: "host", reason: "a prefix ends at a slash" },
    { image: "reg.local:5000/a", user: "port", reason: "host and port" },
    { image: "reg.local:5001/a", user: undefined, reason: "another port is another registry" },
    { image: "us.example.com/a", user: "glob", reason: "a star within a label" },
    { image: "eu.example.com/a", user: "exact", reason: "an exact host wins" },
    { image: "a.b.example.com/a", user: undefined, reason: "a star stands for one label" },
    { image: "empty.io/a", user: undefined, reason: "an entry without credentials" },
    { image: "null.io/a", user: undefined, reason: "an entry that is null" },
    { image: "plain.io/a", user: "plain", reason: "user and password in clear" },
    { image: "ghcr.io/a/b", user: undefined, reason: "no entry" },
  ])("$image uses $user: $reason", ({ image, user }) => {
    expect(userFor(credentials, image)).toBe(user);
  });

  test("the older format without auths is read, and tokens too", () => {
    expect(userFor(parse({ "quay.io": auth("old") }), "quay.io/a")).toBe("old");
    const [found] = [parse({ auths: { "a.io": { identitytoken: "identity-1" } } }).find(parseImageReference("a.io/a"))];
    expect(found?.identityToken?.reveal()).toBe("identity-1");
  });

  test("a password may contain colons", () => {
    const found = parse({ auths: { "a.io": auth("u", "p:q:r") } }).find(parseImageReference("a.io/a"));
    expect(found?.password?.reveal()).toBe("p:q:r");
  });

  test("of several Secrets the first that fits is used", () => {
    const merged = mergeCredentials([parse({ auths: { "a.io": auth("one") } }), credentials]);
    expect(userFor(merged, "a.io/x")).toBe("one");
    expect(userFor(merged, "quay.io/acme/web")).toBe("repository");
  });

  test("a credential helper is named, not run", () => {
    const helped = parse({ credsStore: "desktop", credHelpers: { "gcr.io": "gcloud" } });
    expect([helped.helperFor("gcr.io"), helped.helperFor("quay.io")]).toEqual(["gcloud", "desktop"]);
  });

  test.for([
    { text: "not json: hunter22", reason: "not JSON" },
    { text: '["hunter22"]', reason: "not an object" },
    { text: '{"auths": {"a.io": {"auth": 7, "password": "hunter22"}}}', reason: "a wrong type" },
    { text: '{"auths": {"a.io": {"auth": "aHVudGVyMjI="}}}', reason: "base64 of a text without a colon" },
  ])("a file that cannot be read is refused without quoting it: $reason", ({ text }) => {
    const read = (): unknown => parseDockerConfig(text, "Secret a/b");
    expect(read).toThrow(InputError);
    expect(read).toThrow(/Secret a\/b/);
    expect(read).not.toThrow(/hunter22|aHVudGVy/);
  });

  test("a credential does not print its password", () => {
    const found = credentials.find(parseImageReference("plain.io/a"));
    expect(inspect(found)).not.toContain("secret-word");
    expect(JSON.stringify(found)).not.toContain("secret-word");
  });
});
