import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InputError, systemClock } from "#base";
import { type RecordedRequest, startHttpProxy, startTcpProxy } from "#faults";
import {
  type PushedContent,
  readRaw,
  type SampleImage,
  SamplePusher,
  startEmbeddedRegistry,
  startLibraryRegistry,
  startTokenProxy,
  type TestRegistry,
} from "#registry";
import { copyImage } from "./copy-image.ts";
import { parseDockerConfig } from "./docker-config.ts";
import { openRegistries } from "./open-registries.ts";

const signal = new AbortController().signal;
/** Waits take no time. */
const clock = { ...systemClock, sleep: async () => {} };
const password = "not-to-be-printed";

interface Signed {
  readonly index: SampleImage;
  readonly companions: readonly PushedContent[];
}

/** As cosign leaves an image behind: signatures of the index and of both platforms, an attestation and an SBOM. */
async function pushSigned(registry: TestRegistry, repository: string): Promise<Signed> {
  const pusher = new SamplePusher(registry.url, repository);
  const index = await pusher.index("v1");
  const [amd64, arm64] = index.children.map(({ digest }) => digest);
  const companions = [
    await pusher.companion(index.digest, "sig"),
    await pusher.companion(amd64 ?? "", "sig"),
    await pusher.companion(arm64 ?? "", "sig"),
    await pusher.companion(index.digest, "att"),
    await pusher.companion(amd64 ?? "", "sbom"),
  ];
  return { index, companions };
}

const tagFor = (digest: string | undefined, suffix: string): string => `${digest?.replace(":", "-")}.${suffix}`;

function companionTagsOf({ index }: Signed): string[] {
  const [amd64, arm64] = index.children.map(({ digest }) => digest);
  return [
    tagFor(index.digest, "sig"),
    tagFor(amd64, "sig"),
    tagFor(arm64, "sig"),
    tagFor(index.digest, "att"),
    tagFor(amd64, "sbom"),
  ];
}

const isBlobRead = ({ method, path }: { method: string; path: string }): boolean =>
  method === "GET" && path.includes("/blobs/");
const isBlobWrite = ({ method, path }: RecordedRequest): boolean =>
  path.includes("/blobs/uploads/") && (method === "PATCH" || method === "PUT");
const isManifestWrite = ({ method, path }: RecordedRequest): boolean =>
  method === "PUT" && path.includes("/manifests/");

let library: TestRegistry;
let embedded: TestRegistry;

beforeAll(async () => {
  [library, embedded] = await Promise.all([startLibraryRegistry(), startEmbeddedRegistry()]);
});
afterAll(async () => {
  await library[Symbol.asyncDispose]();
  await embedded[Symbol.asyncDispose]();
});

describe("a copy to another repository of the registry", () => {
  test("P42: mounts all blobs, writes children before the index, and takes signatures of index and platforms along", async () => {
    const signed = await pushSigned(embedded, "acme/built");
    await using proxy = await startHttpProxy({ target: embedded.url });
    await using registries = openRegistries();
    const source = { registry: proxy.url.host, repository: "acme/built", digest: signed.index.digest };
    const target = { registry: proxy.url.host, repository: "acme/released", tag: "v1" };
    const result = await copyImage(registries, { source, target }, signal);

    expect(result).toMatchObject({ digest: signed.index.digest, mounted: 14, uploaded: 0, manifests: 8 });
    expect(result.companions).toHaveLength(5);
    expect(proxy.count(isBlobWrite)).toBe(0);
    expect((await readRaw(embedded.url, "acme/released", "v1"))?.bytes.equals(signed.index.bytes)).toBe(true);
    for (const [place, tag] of companionTagsOf(signed).entries()) {
      expect((await readRaw(embedded.url, "acme/released", tag))?.digest).toBe(signed.companions[place]?.digest);
    }
    const written = proxy.requests.filter(isManifestWrite).map(({ path }) => path);
    expect(written.at(-1)).toBe("/v2/acme/released/manifests/v1");
    expect(proxy.count()).toBeLessThanOrEqual(48);

    const before = proxy.count();
    const again = await copyImage(registries, { source, target }, signal);
    expect(again.tag?.action).toBe("keep");
    expect(proxy.count() - before).toBeLessThanOrEqual(4);
    expect(proxy.requests.slice(before).every(({ method }) => method === "GET")).toBe(true);
  });

  test("P42: a registry that answers 202 to a mount gets the blobs by upload", async () => {
    const { index } = await pushSigned(embedded, "acme/unmounted");
    const options = { user: "robot", password, refusesMounts: true };
    await using proxy = await startTokenProxy({ target: embedded.url, ...options });
    const auth = Buffer.from(`robot:${password}`).toString("base64");
    const credentials = parseDockerConfig(JSON.stringify({ auths: { [proxy.host]: { auth } } }), "test");
    await using registries = openRegistries({ credentials });
    const source = { registry: proxy.host, repository: "acme/unmounted", tag: "v1" };
    const target = { registry: proxy.host, repository: "acme/uploaded", tag: "v1" };
    const result = await copyImage(registries, { source, target }, signal);
    expect(result).toMatchObject({ mounted: 0, uploaded: 14 });
    expect((await readRaw(embedded.url, "acme/uploaded", "v1"))?.bytes.equals(index.bytes)).toBe(true);
    // P43: one token for both repositories, as a mount needs it.
    expect(proxy.scopes).toEqual([["repository:acme/uploaded:pull,push", "repository:acme/unmounted:pull"]]);
  });

  test("signatures that were added after the first copy follow with the next", async () => {
    const pusher = new SamplePusher(embedded.url, "acme/late");
    const index = await pusher.index("v1");
    await using registries = openRegistries();
    const source = { registry: embedded.host, repository: "acme/late", tag: "v1" };
    const target = { registry: embedded.host, repository: "acme/late-copy", tag: "v1" };
    await copyImage(registries, { source, target }, signal);
    const signature = await pusher.companion(index.children[1]?.digest ?? "", "sig");
    const second = await copyImage(registries, { source, target }, signal);
    expect(second).toMatchObject({ tag: { action: "keep" }, manifests: 1 });
    const tag = `${index.children[1]?.digest.replace(":", "-")}.sig`;
    expect((await readRaw(embedded.url, "acme/late-copy", tag))?.digest).toBe(signature.digest);

    // A second signature under the same tag is only found by looking at all of them.
    const replaced = await pusher.companion(index.children[1]?.digest ?? "", "sig");
    expect((await copyImage(registries, { source, target }, signal)).manifests).toBe(0);
    const third = await copyImage(registries, { source, target, isThorough: true }, signal);
    expect(third.manifests).toBe(1);
    expect((await readRaw(embedded.url, "acme/late-copy", tag))?.digest).toBe(replaced.digest);
  });

  test("a dry run names the digests and the companions, and writes nothing", async () => {
    const { index } = await pushSigned(library, "acme/dry");
    await using proxy = await startHttpProxy({ target: library.url });
    await using registries = openRegistries();
    const source = { registry: proxy.url.host, repository: "acme/dry", tag: "v1" };
    const target = { registry: proxy.url.host, repository: "acme/dry-copy", tag: "v1" };
    const result = await copyImage(registries, { source, target, isDryRun: true }, signal);
    expect(result.tag).toEqual({ tag: "v1", from: undefined, to: index.digest, action: "create" });
    expect(result.companions).toHaveLength(5);
    expect(proxy.requests.every(({ method }) => method === "GET" || method === "HEAD")).toBe(true);
  });

  test("a tag that must not move keeps its image, and nothing is copied", async () => {
    const pusher = new SamplePusher(library.url, "acme/guarded");
    await pusher.index("v1");
    const other = await new SamplePusher(library.url, "acme/guarded-copy").image("amd64", undefined, "v1");
    await using registries = openRegistries();
    const source = { registry: library.host, repository: "acme/guarded", tag: "v1" };
    const target = { registry: library.host, repository: "acme/guarded-copy", tag: "v1" };
    const result = await copyImage(registries, { source, target, guards: { isImmutable: true } }, signal);
    expect(result.tag).toMatchObject({ action: "refuse", reason: "Immutable", from: other.digest });
    expect((await readRaw(library.url, "acme/guarded-copy", "v1"))?.digest).toBe(other.digest);
  });
});

describe("a copy to another registry", () => {
  test("referrers follow, listed by the API where the target has it, and under the tag where it has not", async () => {
    const pusher = new SamplePusher(library.url, "acme/artifacts");
    const index = await pusher.index("v1");
    const [child] = index.children;
    if (child === undefined) throw new Error("the index has no children");
    const sbom = await pusher.referrer(child, "application/spdx+json");
    const signature = await pusher.referrer(sbom, "application/vnd.dev.sigstore.bundle.v0.3+json");
    await using registries = openRegistries();
    const source = { registry: library.host, repository: "acme/artifacts", tag: "v1" };
    await using other = await startLibraryRegistry();
    for (const { registry, url } of [
      { registry: embedded.host, url: embedded.url },
      { registry: other.host, url: other.url },
    ]) {
      const target = { registry, repository: "acme/artifacts-copy", tag: "v1" };
      const result = await copyImage(registries, { source, target }, signal);
      expect(new Set(result.companions.map(({ digest }) => digest))).toEqual(new Set([sbom.digest, signature.digest]));
      const byApi = await fetch(`${url.origin}/v2/acme/artifacts-copy/referrers/${child.digest}`);
      const byTag = await readRaw(url, "acme/artifacts-copy", child.digest.replace(":", "-"));
      const list = JSON.parse(byApi.status === 200 ? await byApi.text() : (byTag?.bytes.toString() ?? "{}"));
      expect(list.manifests).toMatchObject([{ digest: sbom.digest }]);
      const [{ artifactType }] = list.manifests;
      // go-containerregistry lists the type of the config instead.
      expect(artifactType).toBe(byTag ? "application/spdx+json" : "application/vnd.oci.empty.v1+json");
      expect(byTag === undefined).toBe(byApi.status === 200);
    }
    // And back from the registry without the API, where the list under the tag is all there is.
    const back = { registry: other.host, repository: "acme/artifacts-back", tag: "v1" };
    const from = { registry: embedded.host, repository: "acme/artifacts-copy", tag: "v1" };
    expect((await copyImage(registries, { source: from, target: back }, signal)).companions).toHaveLength(2);
  });

  test("a blob that breaks off is read on from there, and an upload that breaks off is continued", async () => {
    const layer = randomBytes(40 * 2 ** 20);
    const pushed = await new SamplePusher(library.url, "acme/large").image("amd64", [layer], "v1");
    await using source = await startHttpProxy({ target: library.url });
    source.cut({
      match: ({ headers, ...request }) => isBlobRead(request) && headers.range === undefined,
      at: { bytes: 6_000_000 },
    });
    await using wire = await startTcpProxy({ target: { host: "127.0.0.1", port: Number(embedded.url.port) } });
    await using target = await startHttpProxy({ target: new URL(`http://127.0.0.1:${wire.port}`) });
    const broken = wire.until(({ bytesToServer }) => bytesToServer > 24_000_000).then(() => wire.reset("live"));
    await using registries = openRegistries({ clock });
    const arrived: number[] = [];
    const result = await copyImage(
      registries,
      {
        source: { registry: source.url.host, repository: "acme/large", tag: "v1" },
        target: { registry: target.url.host, repository: "acme/large-copy", tag: "v1" },
        onProgress: ({ bytes }) => arrived.push(bytes),
      },
      signal,
    );
    await broken;
    expect(result).toMatchObject({ digest: pushed.digest, uploaded: 2 });
    const resumed = source.requests.filter((request) => isBlobRead(request) && request.headers.range !== undefined);
    expect(resumed.length).toBeGreaterThan(0);
    const [first, second] = target.requests.filter(({ method }) => method === "PATCH");
    expect(first?.headers["content-range"]).toBeUndefined();
    expect(second?.headers["content-range"]).toMatch(/^[1-9]\d+-41943039$/);
    const config = await copiedBytes(embedded, "acme/large-copy", "v1");
    expect(config.equals(layer)).toBe(true);
    expect(arrived.at(-1)).toBe(result.uploadedBytes);
  });

  test("a layer that is not what its digest says is not stored, and no tag is written", async () => {
    const layer = randomBytes(2 ** 20);
    const pushed = await new SamplePusher(library.url, "acme/forged").image("amd64", [layer], "v1");
    const [{ digest }] = JSON.parse(pushed.bytes.toString()).layers;
    await using source = await startHttpProxy({ target: library.url });
    source.answer({
      match: (request) => isBlobRead(request) && request.path.endsWith(digest),
      status: 200,
      body: "x".repeat(layer.length),
    });
    await using registries = openRegistries({ clock });
    const target = { registry: embedded.host, repository: "acme/forged-copy", tag: "v1" };
    const copy = copyImage(
      registries,
      { source: { registry: source.url.host, repository: "acme/forged", tag: "v1" }, target },
      signal,
    );
    await expect(copy).rejects.toThrow(`expected content with the digest ${digest}, got sha256:`);
    expect(await readRaw(embedded.url, "acme/forged-copy", "v1")).toBeUndefined();
    const stored = await fetch(`${embedded.url.origin}/v2/acme/forged-copy/blobs/${digest}`);
    expect(stored.status).toBe(404);
  });

  test("a redirect of a blob to another host gets no credentials, and one without TLS or into the network is refused", async () => {
    const layer = randomBytes(1000);
    await new SamplePusher(library.url, "acme/elsewhere").image("amd64", [layer], "v1");
    await using tokens = await startTokenProxy({ target: library.url, user: "robot", password });
    await using source = await startHttpProxy({ target: new URL(`http://${tokens.host}`) });
    const seen: (string | undefined)[] = [];
    const storage = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end(layer);
    });
    await once(storage.listen(0, "127.0.0.1"), "listening");
    const address = storage.address();
    const port = typeof address === "object" ? address?.port : 0;
    // The layer is the larger of the two blobs; the config has 140 bytes or so.
    const manifest = await readRaw(library.url, "acme/elsewhere", "v1");
    const [{ digest }] = JSON.parse(manifest?.bytes.toString() ?? "").layers;
    const isLayer = ({ method, path }: { method: string; path: string }): boolean =>
      method === "GET" && path.endsWith(digest);
    const auth = Buffer.from(`robot:${password}`).toString("base64");
    const auths = { [source.url.host]: { auth } };
    await using registries = openRegistries({
      clock,
      credentials: parseDockerConfig(JSON.stringify({ auths }), "test"),
    });
    const copy = (repository: string): ReturnType<typeof copyImage> =>
      copyImage(
        registries,
        {
          source: { registry: source.url.host, repository: "acme/elsewhere", tag: "v1" },
          target: { registry: embedded.host, repository, tag: "v1" },
        },
        signal,
      );
    const redirect = source.answer({
      match: isLayer,
      status: 307,
      headers: { location: `http://localhost:${port}/x` },
    });
    await copy("acme/redirected");
    expect(seen).toEqual([undefined]);
    expect((await copiedBytes(embedded, "acme/redirected", "v1")).equals(layer)).toBe(true);
    redirect.remove();
    source.answer({ match: isLayer, status: 307, headers: { location: "http://storage.example.com/x" } });
    await expect(copy("acme/refused")).rejects.toThrow(
      /refused to follow a redirect to http:\/\/storage.example.com: it is not encrypted/,
    );
    expect(await readRaw(embedded.url, "acme/refused", "v1")).toBeUndefined();
    storage.close();
  });

  test("an index that lists an image which is not there is refused before anything is written", async () => {
    const pusher = new SamplePusher(embedded.url, "acme/sparse");
    const index = await pusher.index("v1");
    await using source = await startHttpProxy({ target: embedded.url });
    source.answer({ match: ({ path }) => path.endsWith(index.children[0]?.digest ?? ""), status: 404, body: "{}" });
    await using registries = openRegistries({ clock });
    const copy = copyImage(
      registries,
      {
        source: { registry: source.url.host, repository: "acme/sparse", tag: "v1" },
        target: { registry: library.host, repository: "acme/sparse-copy", tag: "v1" },
      },
      signal,
    );
    await expect(copy).rejects.toThrow(InputError);
    await expect(copy).rejects.toThrow("the index lists an image that is not in the repository");
    expect(await readRaw(library.url, "acme/sparse-copy", "v1")).toBeUndefined();
  });
});

/** The first layer of an image, by fetch alone. */
async function copiedBytes(registry: TestRegistry, repository: string, tag: string): Promise<Buffer> {
  const manifest = await readRaw(registry.url, repository, tag);
  const [{ digest }] = JSON.parse(manifest?.bytes.toString() ?? "").layers;
  const answer = await fetch(`${registry.url.origin}/v2/${repository}/blobs/${digest}`);
  return Buffer.from(await answer.arrayBuffer());
}
