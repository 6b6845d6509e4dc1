import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { copyImage, openRegistries, retag } from "#oci";
import { startHttpProxy } from "#faults";
import {
  ensureCrane,
  type SampleImage,
  SamplePusher,
  startEmbeddedRegistry,
  startLibraryRegistry,
  type TestRegistry,
} from "#registry";
import { describeSpent, median, type Spent, spend } from "./measure.ts";

const never = new AbortController().signal;
const tags = 200;
const rounds = 3;
const layers = 5;
const layerBytes = 100e6;

/** Re-tags and copies beside `crane`: requests, processor time, throughput and memory. */
export async function measureRetag(): Promise<void> {
  const crane = await ensureCrane(never);
  await countRequests(crane);
  await measureMany(crane);
  await measureLarge(crane);
}

/** Requests are counted by a proxy before the registry. What cosign needs is known from a run of its own: 81. */
async function countRequests(crane: string): Promise<void> {
  for (const { kind, start } of [
    { kind: "go-containerregistry's registry", start: startLibraryRegistry },
    { kind: "the embedded registry", start: startEmbeddedRegistry },
  ]) {
    await using registry = await start();
    await using proxy = await startHttpProxy({ target: registry.url });
    await using registries = openRegistries();
    const index = await pushSigned(registry, "acme/built");
    const count = async (work: () => unknown): Promise<number> => {
      const before = proxy.count();
      await work();
      return proxy.count() - before;
    };
    const image = { registry: proxy.url.host, repository: "acme/built", digest: index.digest };
    const move = () => retag(registries, { image, tags: [{ tag: "released" }] }, never);
    const copy = () =>
      copyImage(registries, { source: image, target: { ...image, repository: "acme/web", tag: "v1" } }, never);
    const [first, again] = [await count(move), await count(move)];
    const [copied, repeated] = [await count(copy), await count(copy)];
    const reference = `${proxy.url.host}/acme/built@${index.digest}`;
    // Not synchronously: the proxy is in this process.
    const byCrane = await count(() => promisify(execFile)(crane, ["tag", reference, "by-crane"]));
    console.log(`requests on ${kind}:`);
    console.log(`  a tag: ${first} (bar: 3; crane ${byCrane}), again: ${again} (bar: 1)`);
    console.log(`  a signed index to another repository: ${copied} (bar: 48; cosign 81), again: ${repeated} (bar: 4)`);
  }
}

async function pushSigned(registry: TestRegistry, repository: string): Promise<SampleImage> {
  const pusher = new SamplePusher(registry.url, repository);
  const index = await pusher.index("v1");
  for (const { digest } of [index, ...index.children]) await pusher.companion(digest, "sig");
  await pusher.companion(index.digest, "att");
  await pusher.companion(index.digest, "sbom");
  return index;
}

async function measureMany(crane: string): Promise<void> {
  await using registry = await startLibraryRegistry();
  const index = await new SamplePusher(registry.url, "acme/web").index();
  const image = { registry: registry.host, repository: "acme/web", digest: index.digest };
  const names = Array.from({ length: tags }, (_, number) => `released-${number}`);
  await using registries = openRegistries();
  const ours = await spend(async () => {
    for (const tag of names) await retag(registries, { image, tags: [{ tag }] }, never);
  });
  const reference = `${registry.host}/acme/web@${index.digest}`;
  const theirs = await spend(() => {
    for (const tag of names) execFileSync(crane, ["tag", reference, `c-${tag}`], { stdio: "ignore" });
  });
  console.log(`${tags} tags, one after the other: ${describeSpent(ours)}`);
  console.log(`  crane tag in a loop: ${describeSpent(theirs)}; ${ratio(theirs, ours)} (bar: 3 times)`);
}

interface CopyFigures extends Spent {
  readonly megabytes: number;
}

/** Each round copies to an empty registry, ours and crane's in turns; both with the start of their process. */
async function measureLarge(crane: string): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-retag-"));
  const script = await bundleScript(directory.path);
  await using source = await startLibraryRegistry();
  const contents = Array.from({ length: layers }, () => randomBytes(layerBytes));
  await new SamplePusher(source.url, "acme/large").image("amd64", contents, "v1");
  const from = `${source.host}/acme/large:v1`;
  const ours: CopyFigures[] = [];
  const theirs: Spent[] = [];
  for (let round = 0; round < rounds; round++) {
    await using first = await startLibraryRegistry();
    let text = "";
    const spent = await spend(() => {
      text = execFileSync(process.execPath, [script, from, `${first.host}/acme/large:v1`], { encoding: "utf8" });
    });
    ours.push({ ...spent, megabytes: JSON.parse(text).megabytes });
    await using second = await startLibraryRegistry();
    theirs.push(
      await spend(() => execFileSync(crane, ["copy", from, `${second.host}/acme/large:v1`], { stdio: "ignore" })),
    );
  }
  const [own, other] = [median(ours.map(({ wall }) => wall)), median(theirs.map(({ wall }) => wall))];
  const total = (layers * layerBytes) / 1e6;
  console.log(
    `${total} MB to another registry: ${(total / (own / 1000)).toFixed(0)} MB/s, ${cpu(ours)} s CPU; crane ${(total / (other / 1000)).toFixed(0)} MB/s, ${cpu(theirs)} s CPU; ${(other / own).toFixed(2)} times its rate (bar: 0.8)`,
  );
  const largest = Math.max(...ours.map(({ megabytes }) => megabytes));
  console.log(`  largest memory of the process: ${largest.toFixed(0)} MB (bar: 150 MB)\n`);
}

/** As it is published: a checkout also holds what strips the types. */
async function bundleScript(directory: string): Promise<string> {
  const root = join(import.meta.dirname, "..");
  const flags = ["--platform", "node", "--format", "esm", "-d", directory, "--logLevel", "silent"];
  await promisify(execFile)(join(root, "node_modules", ".bin", "rolldown"), ["bench/copy-once.ts", ...flags], {
    cwd: root,
  });
  return join(directory, "copy-once.js");
}

function cpu(spent: readonly Spent[]): string {
  return (median(spent.map(({ processor }) => processor)) / 1000).toFixed(2);
}

function ratio(theirs: Spent, ours: Spent): string {
  return `${(theirs.wall / ours.wall).toFixed(1)} times faster by the clock, ${(theirs.processor / ours.processor).toFixed(1)} times by processor time`;
}

if (import.meta.main) await measureRetag();
