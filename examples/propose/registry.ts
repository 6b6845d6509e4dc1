/** A registry on loopback that keeps images in memory, with three builds of `shop/web` in it: `node examples/propose/registry.ts`. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

const port = 25000;
const name = "shop/web";
const manifestType = "application/vnd.oci.image.manifest.v1+json";
const configType = "application/vnd.oci.image.config.v1+json";
const blobs = new Map<string, Buffer>();
const manifests = new Map<string, Buffer>();

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function keepBlob(text: string): { mediaType: string; digest: string; size: number } {
  const bytes = Buffer.from(text);
  const digest = digestOf(bytes);
  blobs.set(digest, bytes);
  return { mediaType: configType, digest, size: bytes.length };
}

function keepManifest(reference: string, bytes: Buffer): string {
  const digest = digestOf(bytes);
  manifests.set(reference, bytes);
  manifests.set(digest, bytes);
  return digest;
}

/** What a build would push: an image without layers, of which each build is another. */
function build(number: number): void {
  const config = keepBlob(
    JSON.stringify({ architecture: "amd64", os: "linux", config: { Labels: { build: `${number}` } } }),
  );
  const manifest = { schemaVersion: 2, mediaType: manifestType, config, layers: [] };
  keepManifest(`build-${number}`, Buffer.from(JSON.stringify(manifest)));
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, kind, reference = ""] = /^\/v2\/shop\/web\/(manifests|blobs)\/([^/?]+)$/.exec(request.url ?? "") ?? [];
  if (kind === "manifests" && request.method === "PUT") {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    response.writeHead(201, { "docker-content-digest": keepManifest(reference, Buffer.concat(parts)) }).end();
    return;
  }
  const found = (kind === "manifests" ? manifests : blobs).get(reference);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!found || !isRead) {
    response.writeHead(request.url === "/v2/" ? 200 : 404).end();
    return;
  }
  const type = kind === "manifests" ? manifestType : "application/octet-stream";
  const headers = { "content-type": type, "content-length": found.length, "docker-content-digest": digestOf(found) };
  response.writeHead(200, headers).end(request.method === "GET" ? found : undefined);
}

for (const number of [1, 2, 3]) build(number);
const server = createServer((request, response) => void serve(request, response));
server.listen(port, "127.0.0.1", () => {
  process.stdout.write(`127.0.0.1:${port}/${name} has build-1, build-2 and build-3\n`);
});
