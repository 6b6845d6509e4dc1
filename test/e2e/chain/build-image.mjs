#!/usr/local/bin/node
// Makes an image of the files of a commit, on top of an image that the registry has, and pushes it. Runs in a step of Tekton.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const { SOURCE, COMMIT, IMAGE, BASE, RESULTS } = process.env;
const [, host, repository] = /^([^/]+)\/(.+)$/.exec(IMAGE);
const [, baseRepository, baseTag] = /^[^/]+\/(.+):([^:]+)$/.exec(BASE);

execFileSync("git", ["clone", "--quiet", SOURCE, "/source/checkout"], { stdio: "inherit" });
execFileSync("git", ["-C", "/source/checkout", "checkout", "--quiet", COMMIT], { stdio: "inherit" });

async function call(path, options = {}) {
  const answer = await fetch(new URL(path, `http://${host}/v2/`), options);
  if (!answer.ok) throw new Error(`${options.method ?? "GET"} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

async function upload(bytes) {
  const digest = digestOf(bytes);
  const begun = await call(`${repository}/blobs/uploads/`, { method: "POST" });
  const location = new URL(begun.headers.get("location"), `http://${host}`);
  location.searchParams.set("digest", digest);
  await call(location, { method: "PUT", body: bytes });
  return { digest, size: bytes.length };
}

function digestOf(bytes) {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function octal(value, length) {
  return `${value.toString(8).padStart(length - 1, "0")}\0`;
}

/** https://www.gnu.org/software/tar/manual/html_node/Standard.html */
function tar(files) {
  const parts = files.flatMap(([name, content]) => {
    const header = Buffer.alloc(512);
    const fields = [
      [0, name],
      [100, octal(0o644, 8)],
      [108, octal(0, 8)],
      [116, octal(0, 8)],
      [124, octal(content.length, 12)],
      [136, octal(0, 12)],
      [148, " ".repeat(8)],
      [156, "0"],
      [257, "ustar\x0000"],
    ];
    for (const [offset, text] of fields) header.write(text, offset, "latin1");
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(octal(sum, 8), 148, "latin1");
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

const accept = "application/vnd.oci.image.manifest.v1+json";
const base = await (await call(`${baseRepository}/manifests/${baseTag}`, { headers: { accept } })).json();
const config = await (await call(`${baseRepository}/blobs/${base.config.digest}`)).json();
for (const { digest } of base.layers) {
  const begun = await call(`${repository}/blobs/uploads/?mount=${digest}&from=${baseRepository}`, { method: "POST" });
  if (begun.status !== 201) throw new Error(`layer ${digest} of the base could not be mounted: ${begun.status}`);
}

const folder = "/source/checkout/app";
const names = readdirSync(folder).toSorted();
const layer = tar(names.map((name) => [`app/${name}`, readFileSync(`${folder}/${name}`)]));
const mediaType = base.layers[0].mediaType;
config.config = { ...config.config, Entrypoint: ["/usr/local/bin/node", "/app/main.mjs"] };
config.rootfs.diff_ids.push(digestOf(layer));
const manifest = {
  ...base,
  config: { ...base.config, ...(await upload(Buffer.from(JSON.stringify(config)))) },
  layers: [...base.layers, { mediaType, ...(await upload(layer)) }],
};
const body = Buffer.from(JSON.stringify(manifest));
await call(`${repository}/manifests/${COMMIT}`, { method: "PUT", headers: { "content-type": accept }, body });

const results = {
  IMAGE_URL: `${IMAGE}:${COMMIT}`,
  IMAGE_DIGEST: digestOf(body),
  "CHAINS-GIT_URL": SOURCE,
  "CHAINS-GIT_COMMIT": COMMIT,
};
for (const [name, value] of Object.entries(results)) writeFileSync(`${RESULTS}/${name}`, value);
process.stdout.write(`${IMAGE}:${COMMIT} has ${names.join(", ")}\n`);
