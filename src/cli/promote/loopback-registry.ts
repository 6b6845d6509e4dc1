import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { closeServer, listenOn } from "#base";

const manifestType = "application/vnd.oci.image.manifest.v1+json";
const configType = "application/vnd.oci.image.config.v1+json";
const largestManifest = 4 * 2 ** 20;
const route = /^\/v2\/([a-z0-9/._-]+)\/(manifests|blobs)\/((?:sha256:[0-9a-f]{64})|(?:\w[\w.-]{0,127}))$/;

/** A registry on loopback, with its images in a folder. */
export interface LoopbackRegistry extends AsyncDisposable {
  /** Host and port, as in an image reference. */
  readonly host: string;
  readonly port: number;
}

export interface RegistryFolder {
  readonly folder: string;
}

/**
 * Serves images to what moves tags and reads digests, for the example of `tenon up` on fake nodes, which pull nothing. The
 * registry of the embedded cluster belongs to its real node.
 */
export async function startLoopbackRegistry({ folder }: RegistryFolder, port = 0): Promise<LoopbackRegistry> {
  const server = createServer((request, response) => {
    serve(folder, request, response).catch(() => response.destroy());
  });
  const found = await listenOn(server, "127.0.0.1", port);
  return { host: `127.0.0.1:${found}`, port: found, [Symbol.asyncDispose]: () => closeServer(server) };
}

/** Puts an image without layers into the folder, and returns its digest: the same for the same labels. */
export async function storeImage(
  { folder }: RegistryFolder,
  repository: string,
  labels: Readonly<Record<string, string>>,
): Promise<string> {
  const settings = Buffer.from(JSON.stringify({ architecture: "amd64", os: "linux", config: { Labels: labels } }));
  const config = { mediaType: configType, digest: digestOf(settings), size: settings.length };
  await keep(join(folder, repository, "blobs", config.digest), settings);
  const manifest = { schemaVersion: 2, mediaType: manifestType, config, layers: [] };
  const bytes = Buffer.from(JSON.stringify(manifest));
  await keep(join(folder, repository, "manifests", digestOf(bytes)), bytes);
  return digestOf(bytes);
}

async function serve(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === "/v2/") {
    response.writeHead(200).end();
    return;
  }
  const [, repository = "", kind = "", reference = ""] = route.exec(request.url ?? "") ?? [];
  if (kind === "" || repository.split("/").some((part) => /^\.*$/.test(part))) {
    response.writeHead(404).end();
    return;
  }
  const file = join(folder, repository, kind, reference);
  if (kind === "manifests" && request.method === "PUT") {
    await takeManifest(file, reference, request, response);
    return;
  }
  const found = await readFile(file).catch(() => undefined);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!found || !isRead) {
    response.writeHead(isRead ? 404 : 405).end();
    return;
  }
  const type = kind === "manifests" ? manifestType : "application/octet-stream";
  const headers = { "content-type": type, "content-length": found.length, "docker-content-digest": digestOf(found) };
  response.writeHead(200, headers).end(request.method === "GET" ? found : undefined);
}

async function takeManifest(
  file: string,
  reference: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!(Number(request.headers["content-length"]) <= largestManifest)) {
    response.writeHead(413).end();
    return;
  }
  const bytes = await buffer(request);
  const digest = digestOf(bytes);
  if (reference.startsWith("sha256:") && reference !== digest) {
    response.writeHead(400).end();
    return;
  }
  await keep(join(dirname(file), digest), bytes);
  await keep(file, bytes);
  response.writeHead(201, { "docker-content-digest": digest }).end();
}

/** Complete or not at all: the process may be killed. */
async function keep(file: string, bytes: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${crypto.randomUUID()}`;
  await writeFile(draft, bytes);
  await rename(draft, file);
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
