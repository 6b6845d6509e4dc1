import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "#base";
import { openRegistries, parseImageReference, readImageFacts, resolveDigest, retag } from "#oci";
import { type LoopbackRegistry, startLoopbackRegistry, storeImage } from "./loopback-registry.ts";

const repository = "parcels/tracking";
let folder: Awaited<ReturnType<typeof mkdtempDisposable>>;
let registry: LoopbackRegistry;
const registries = openRegistries({ clock: systemClock, random: Math.random });

beforeAll(async () => {
  folder = await mkdtempDisposable(join(tmpdir(), "tenon-loopback-"));
  registry = await startLoopbackRegistry({ folder: folder.path });
});
afterAll(async () => {
  await registries[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  await folder.remove();
});

const never = new AbortController().signal;

test("an image that is stored twice has one digest, can be inspected, and gets a tag that survives a restart", async () => {
  const digest = await storeImage({ folder: folder.path }, repository, { build: "1" });
  expect(await storeImage({ folder: folder.path }, repository, { build: "1" })).toBe(digest);
  expect(await storeImage({ folder: folder.path }, repository, { build: "2" })).not.toBe(digest);
  const image = parseImageReference(`${registry.host}/${repository}@${digest}`);
  expect(await readImageFacts(registries, image, never)).toMatchObject({ config: { labels: { build: "1" } } });
  await retag(registries, { image, tags: [{ tag: "released" }] }, never);
  const { port } = registry;
  await registry[Symbol.asyncDispose]();
  registry = await startLoopbackRegistry({ folder: folder.path }, port);
  const tagged = parseImageReference(`${registry.host}/${repository}:released`);
  expect(await resolveDigest(registries, tagged, never)).toBe(digest);
});

test.for([
  { reason: "a folder outside of its own", path: "/v2/../../etc/manifests/passwd", status: 404 },
  { reason: "an unknown image", path: `/v2/${repository}/manifests/none`, status: 404 },
  { reason: "a path of another kind", path: "/v2/_catalog", status: 404 },
])("$reason is not served", async ({ path, status }) => {
  expect((await fetch(`http://${registry.host}${path}`)).status).toBe(status);
});

test("a manifest that is not what its digest says is refused", async () => {
  const answer = await fetch(`http://${registry.host}/v2/${repository}/manifests/sha256:${"0".repeat(64)}`, {
    method: "PUT",
    body: "{}",
  });
  expect(answer.status).toBe(400);
});
