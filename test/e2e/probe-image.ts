import { join } from "node:path";
import { type BuiltImage, buildImage, nodePath, nodeRuntimeLayer } from "#oci";

/**
 * An image of programs/probe.mjs, another one for each name: of an image that the kubelet has pulled once, it refuses other
 * names that it has not pulled.
 */
export async function makeProbeImage(name: string): Promise<BuiltImage> {
  const probe = { path: "/probe.mjs", copyOf: join(import.meta.dirname, "programs", "probe.mjs") };
  return await buildImage({
    name,
    compression: "none",
    layers: [await nodeRuntimeLayer(), { comment: "probe", entries: [probe, { path: "/name", contents: name }] }],
    entrypoint: [nodePath, "/probe.mjs"],
  });
}

/** Pushes an image to a registry on loopback, by the distribution specification's shortest way. */
export async function pushImage(image: BuiltImage, registry: string, repository: string, tag: string): Promise<void> {
  const base = `http://${registry}/v2/${repository}`;
  for (const { bytes, digest } of [image.config, ...image.layers]) {
    const begun = await fetch(`${base}/blobs/uploads/`, { method: "POST" });
    const location = new URL(begun.headers.get("location") ?? "", base);
    location.searchParams.set("digest", digest);
    await requireCreated(await fetch(location, { method: "PUT", body: new Uint8Array(bytes) }), `blob ${digest}`);
  }
  const headers = { "content-type": image.manifest.mediaType };
  const body = new Uint8Array(image.manifest.bytes);
  await requireCreated(await fetch(`${base}/manifests/${tag}`, { method: "PUT", headers, body }), "manifest");
}

async function requireCreated(answer: Response, what: string): Promise<void> {
  if (answer.status !== 201) throw new Error(`${what}: ${answer.status} ${await answer.text()}`);
}
