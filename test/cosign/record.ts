import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { hashModule, readBuildFlags } from "#cluster";
import { SamplePusher, startLibraryRegistry, type TestRegistry } from "#registry";
import { ensureTestProgram } from "../harness/ensure-test-program.ts";
import { recordedFile, type RecordedContent, type RecordedSignatures } from "./recorded-signatures.ts";

const run = promisify(execFile);
const accept = ["image.manifest", "image.index"].map((type) => `application/vnd.oci.${type}.v1+json`).join();
const predicate = { buildDefinition: {}, runDetails: { builder: { id: "https://ci.example" } } };

/** The path of cosign's commands, built first: five minutes of processor time, and many downloads. */
async function ensureSigner(): Promise<string> {
  const directory = join(import.meta.dirname, "program");
  const goBuildFlags = await readBuildFlags({});
  const hash = await hashModule(directory, goBuildFlags);
  const program = { name: "cosign-signer", title: "cosign", directory, goBuildFlags, hash };
  return ensureTestProgram("cosign", program, new AbortController().signal);
}

/** Everything that hangs on a digest, by the tags of cosign and by the list of referrers. */
async function readCompanions(registry: TestRegistry, repository: string, digest: string): Promise<RecordedContent[]> {
  const base = `${registry.url.origin}/v2/${repository}`;
  const readText = async (path: string): Promise<string> => await (await fetch(`${base}/${path}`)).text();
  const { manifests }: { manifests: readonly { digest: string }[] } = JSON.parse(await readText(`referrers/${digest}`));
  const { tags: named }: { tags: readonly string[] | null } = JSON.parse(await readText("tags/list"));
  const tags = named ?? [];
  const found: RecordedContent[] = [];
  for (const reference of [...tags, ...manifests.map((each) => each.digest)]) {
    const answer = await fetch(`${base}/manifests/${reference}`, { headers: { accept } });
    const text = await answer.text();
    const { config, layers } = JSON.parse(text);
    for (const blob of [config, ...layers]) {
      const bytes = Buffer.from(await (await fetch(`${base}/blobs/${blob.digest}`)).arrayBuffer());
      found.push({ kind: "blob", mediaType: blob.mediaType, base64: bytes.toString("base64") });
    }
    const tag = tags.includes(reference) ? { tag: reference } : {};
    found.push({ kind: "manifest", mediaType: answer.headers.get("content-type") ?? "", text, ...tag });
  }
  return found;
}

const signer = await ensureSigner();
await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cosign-"));
await using registry = await startLibraryRegistry();
const [key, statement] = [join(directory.path, "cosign.key"), join(directory.path, "predicate.json")];
await writeFile(statement, JSON.stringify(predicate));
const { stdout: publicKey } = await run(signer, ["--key", key, "generate"]);
const recorded: RecordedSignatures[] = [];
for (const [name, flags] of [
  ["tags", []],
  ["bundles", ["--bundle"]],
] as const) {
  const image = await new SamplePusher(registry.url, name).image("web", [Buffer.from("layer")]);
  const reference = `${registry.host}/${name}@${image.digest}`;
  await run(signer, ["--key", key, ...flags, "sign", reference]);
  await run(signer, ["--key", key, ...flags, "--predicate", statement, "attest", reference]);
  const companions = await readCompanions(registry, name, image.digest);
  recorded.push({ name, publicKey, digest: image.digest, manifest: image.bytes.toString(), companions });
}
await writeFile(recordedFile, `${JSON.stringify(recorded, undefined, 2)}\n`);
