import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpProxy, startHttpProxy } from "#faults";
import { InputError, systemClock } from "#base";
import {
  readRaw,
  SamplePusher,
  startEmbeddedRegistry,
  startLibraryRegistry,
  startTokenProxy,
  type TestRegistry,
} from "#registry";
import { parseDockerConfig } from "./docker-config.ts";
import type { ImageReference } from "./image-reference.ts";
import { openRegistries } from "./open-registries.ts";
import { RegistryError } from "./registry-error.ts";
import { resolveDigest, retag } from "./retag.ts";

const signal = new AbortController().signal;
const isWrite = ({ method }: { method: string }): boolean => method === "PUT";
const password = "not-to-be-printed";
/** Waits take no time, and are recorded. */
function hurriedClock(): { clock: typeof systemClock; slept: number[] } {
  const slept: number[] = [];
  return { slept, clock: { ...systemClock, sleep: async (ms) => void slept.push(ms) } };
}

function credentialsFor(host: string): ReturnType<typeof parseDockerConfig> {
  const auth = Buffer.from(`robot:${password}`).toString("base64");
  return parseDockerConfig(JSON.stringify({ auths: { [`${host}/acme`]: { auth } } }), "Secret shop/registry");
}

function imageAt(host: string, repository: string, reference: Pick<ImageReference, "tag" | "digest">): ImageReference {
  return { registry: host, repository, ...reference };
}

describe.each([
  { kind: "go-containerregistry's registry", start: startLibraryRegistry },
  { kind: "the embedded registry", start: startEmbeddedRegistry },
])("re-tagging on $kind", ({ start }) => {
  let registry: TestRegistry;
  let proxy: HttpProxy;

  beforeAll(async () => {
    registry = await start();
    proxy = await startHttpProxy({ target: registry.url });
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
  });

  test("P41: several tags lead to the index itself, byte for byte and of the same type; the second run writes nothing", async () => {
    const index = await new SamplePusher(registry.url, "acme/p41").index();
    await using registries = openRegistries();
    const image = imageAt(proxy.url.host, "acme/p41", { digest: index.digest });
    const tags = [{ tag: "released" }, { tag: "released-1a2b3c4" }];
    const first = await retag(registries, { image, tags }, signal);
    expect(first.tags.map(({ tag, from, to, action }) => ({ tag, from, to, action }))).toEqual(
      tags.map(({ tag }) => ({ tag, from: undefined, to: index.digest, action: "create" })),
    );
    for (const { tag } of tags) {
      const stored = await readRaw(registry.url, "acme/p41", tag);
      expect(stored?.bytes.equals(index.bytes)).toBe(true);
      expect(stored?.mediaType).toBe(index.mediaType);
    }
    const before = proxy.count();
    const second = await retag(registries, { image, tags }, signal);
    expect(second.tags.map(({ action }) => action)).toEqual(["keep", "keep"]);
    expect(proxy.requests.slice(before).map(({ method }) => method)).toEqual(["HEAD", "HEAD"]);
  });

  test("one tag takes three requests, and a repeat one", async () => {
    const index = await new SamplePusher(registry.url, "acme/count").index();
    await using registries = openRegistries();
    const image = imageAt(proxy.url.host, "acme/count", { digest: index.digest });
    const before = proxy.count();
    await retag(registries, { image, tags: [{ tag: "released" }] }, signal);
    expect(proxy.count() - before).toBe(3);
    await retag(registries, { image, tags: [{ tag: "released" }] }, signal);
    expect(proxy.count() - before).toBe(4);
  });

  test("a dry run tells old and new digest, and writes nothing", async () => {
    const pusher = new SamplePusher(registry.url, "acme/dry");
    const [old, next] = [await pusher.image("amd64", undefined, "released"), await pusher.index("build-2")];
    await using registries = openRegistries();
    const image = imageAt(proxy.url.host, "acme/dry", { tag: "build-2" });
    const { digest, tags } = await retag(registries, { image, tags: [{ tag: "released" }], isDryRun: true }, signal);
    expect(digest).toBe(next.digest);
    expect(tags).toEqual([{ tag: "released", from: old.digest, to: next.digest, action: "move" }]);
    expect((await readRaw(registry.url, "acme/dry", "released"))?.digest).toBe(old.digest);
  });

  test("P44: an older release skips a moving tag that a newer one has, and still writes its immutable tag", async () => {
    const pusher = new SamplePusher(registry.url, "acme/p44");
    const [older, newer] = [await pusher.image("older"), await pusher.image("newer", undefined, "released")];
    await using registries = openRegistries();
    const image = imageAt(proxy.url.host, "acme/p44", { digest: older.digest });
    const tags = [
      { tag: "released", newer: new Set([newer.digest]) },
      { tag: "released-r1", isImmutable: true },
    ];
    const outcome = await retag(registries, { image, tags }, signal);
    expect(outcome.tags.map(({ action, reason }) => [action, reason])).toEqual([
      ["refuse", "Superseded"],
      ["create", undefined],
    ]);
    expect((await readRaw(registry.url, "acme/p44", "released"))?.digest).toBe(newer.digest);
    expect((await readRaw(registry.url, "acme/p44", "released-r1"))?.digest).toBe(older.digest);
  });

  test("P44: an image that is no longer in the registry is the user's to bring back", async () => {
    await new SamplePusher(registry.url, "acme/gone").image("amd64", undefined, "other");
    await using registries = openRegistries();
    const image = imageAt(proxy.url.host, "acme/gone", { digest: `sha256:${"0".repeat(64)}` });
    const failure = retag(registries, { image, tags: [{ tag: "released" }] }, signal);
    await expect(failure).rejects.toThrow(InputError);
    await expect(failure).rejects.toThrow(/acme\/gone@sha256:0+: image not found; it may have expired/);
    expect(await readRaw(registry.url, "acme/gone", "released")).toBeUndefined();
  });

  test("a tag is resolved to its digest by one HEAD; a missing one is undefined", async () => {
    const index = await new SamplePusher(registry.url, "acme/resolve").index("v1");
    await using registries = openRegistries();
    const before = proxy.count();
    expect(await resolveDigest(registries, imageAt(proxy.url.host, "acme/resolve", { tag: "v1" }), signal)).toBe(
      index.digest,
    );
    expect(
      await resolveDigest(registries, imageAt(proxy.url.host, "acme/resolve", { tag: "v2" }), signal),
    ).toBeUndefined();
    expect(proxy.requests.slice(before).map(({ method }) => method)).toEqual(["HEAD", "HEAD"]);
  });

  test("a write whose answer is lost is repeated, and a busy registry is asked again after the time that it names", async () => {
    const index = await new SamplePusher(registry.url, "acme/faults").index();
    const { clock, slept } = hurriedClock();
    await using registries = openRegistries({ clock });
    using _cut = proxy.cut({ match: isWrite, times: 1 });
    using _busy = proxy.answer({ match: isWrite, times: 1, status: 429, headers: { "retry-after": "7" } });
    using _broken = proxy.answer({ match: isWrite, times: 1, status: 500, body: "oops" });
    const image = imageAt(proxy.url.host, "acme/faults", { digest: index.digest });
    const { tags } = await retag(registries, { image, tags: [{ tag: "released" }] }, signal);
    expect(tags).toEqual([{ tag: "released", from: undefined, to: index.digest, action: "create" }]);
    expect(slept[1]).toBe(7000);
    expect((await readRaw(registry.url, "acme/faults", "released"))?.digest).toBe(index.digest);
  });

  test("a registry that stays busy fails the tag with the time to wait, and the other tags are written", async () => {
    const index = await new SamplePusher(registry.url, "acme/busy").index();
    const { clock } = hurriedClock();
    await using registries = openRegistries({ clock });
    using _busy = proxy.answer({
      match: ({ method, path }) => method === "PUT" && path.endsWith("/one"),
      status: 503,
      headers: { "retry-after": "3600" },
    });
    const image = imageAt(proxy.url.host, "acme/busy", { digest: index.digest });
    const { tags } = await retag(registries, { image, tags: [{ tag: "one" }, { tag: "two" }] }, signal);
    expect(tags[0]?.error).toBeInstanceOf(RegistryError);
    expect(tags[0]?.error).toMatchObject({ status: 503, retryAfterMs: 3_600_000 });
    expect(tags[1]?.error).toBeUndefined();
    expect((await readRaw(registry.url, "acme/busy", "two"))?.digest).toBe(index.digest);
  });

  test("a manifest that is not what its digest says is never tagged", async () => {
    const pusher = new SamplePusher(registry.url, "acme/forged");
    const [index, other] = [await pusher.index(), await pusher.image("other")];
    const { clock } = hurriedClock();
    await using registries = openRegistries({ clock });
    using _forged = proxy.answer({
      match: ({ method, path }) => method === "GET" && path.endsWith(index.digest),
      status: 200,
      headers: { "content-type": other.mediaType, "docker-content-digest": index.digest },
      body: other.bytes.toString(),
    });
    const image = imageAt(proxy.url.host, "acme/forged", { digest: index.digest });
    const failure = retag(registries, { image, tags: [{ tag: "released" }] }, signal);
    await expect(failure).rejects.toThrow(`expected content with the digest ${index.digest}, got ${other.digest}`);
    expect(await readRaw(registry.url, "acme/forged", "released")).toBeUndefined();
  });
});

describe("re-tagging with Bearer tokens", () => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await startLibraryRegistry();
  });
  afterAll(() => registry[Symbol.asyncDispose]());

  test("P43: one token for pull and push serves all requests, and an expired one is renewed once", async () => {
    await using proxy = await startTokenProxy({ target: registry.url, user: "robot", password });
    const index = await new SamplePusher(registry.url, "acme/p43").index();
    await using registries = openRegistries({ credentials: credentialsFor(proxy.host) });
    const image = imageAt(proxy.host, "acme/p43", { digest: index.digest });
    await retag(registries, { image, tags: [{ tag: "one" }] }, signal);
    expect(proxy.scopes).toEqual([["repository:acme/p43:pull,push"]]);
    proxy.expireTokens();
    const { tags } = await retag(registries, { image, tags: [{ tag: "two" }] }, signal);
    expect(tags[0]?.error).toBeUndefined();
    expect(proxy.scopes).toHaveLength(2);
    // Nothing is sent before the registry asks for it, and the password goes to the token server alone.
    expect(proxy.requests[0]?.authorization).toBeUndefined();
    const basic = proxy.requests.filter(({ authorization }) => authorization?.startsWith("Basic"));
    expect(basic.every(({ url }) => new URL(url).pathname === "/token")).toBe(true);
  });

  test("P43: a registry that knows none of its tokens is asked with two of them, and not for ever", async () => {
    await using proxy = await startTokenProxy({ target: registry.url, user: "robot", password, forgetsTokens: true });
    await using registries = openRegistries({ credentials: credentialsFor(proxy.host) });
    const image = imageAt(proxy.host, "acme/forgotten", { tag: "v1" });
    await expect(resolveDigest(registries, image, signal)).rejects.toThrow(/denies access \(401/);
    expect(proxy.scopes).toHaveLength(2);
    const sent = proxy.requests.filter(({ url }) => new URL(url).pathname !== "/token");
    expect(sent.map(({ authorization }) => authorization?.split(" ")[0])).toEqual([undefined, "Bearer", "Bearer"]);
    expect(new Set(sent.map(({ authorization }) => authorization)).size).toBe(3);
  });

  test("P43: a right that is missing is named with the repository and the Secret, and no credential is printed", async () => {
    const rights = { "acme/readonly": "pull" };
    await using proxy = await startTokenProxy({ target: registry.url, user: "robot", password, rights });
    const index = await new SamplePusher(registry.url, "acme/readonly").index();
    await using registries = openRegistries({ credentials: credentialsFor(proxy.host) });
    const image = imageAt(proxy.host, "acme/readonly", { digest: index.digest });
    const { tags } = await retag(registries, { image, tags: [{ tag: "released" }] }, signal);
    const message = String(tags[0]?.error);
    expect(tags[0]?.error).toBeInstanceOf(InputError);
    expect(message).toContain(`${proxy.host}/acme/readonly:released`);
    expect(message).toContain("403 DENIED: not yours");
    expect(message).toContain(`Secret shop/registry, auths["${proxy.host}/acme"]`);
    expect(message).toContain("`pull,push`");
    expect(message).not.toContain(password);
    expect(await readRaw(registry.url, "acme/readonly", "released")).toBeUndefined();
  });

  test("wrong and missing credentials are different errors", async () => {
    await using proxy = await startTokenProxy({ target: registry.url, user: "robot", password: "another" });
    const image = imageAt(proxy.host, "acme/any", { tag: "v1" });
    await using wrong = openRegistries({ credentials: credentialsFor(proxy.host) });
    await expect(resolveDigest(wrong, image, signal)).rejects.toThrow(
      /401 from its token server .*; the credentials of user robot come from Secret shop\/registry/,
    );
    await using none = openRegistries();
    await expect(resolveDigest(none, image, signal)).rejects.toThrow(
      /denies access without credentials.*docker login 127\.0\.0\.1/,
    );
  });
});
