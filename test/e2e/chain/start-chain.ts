import { createHash, randomUUID } from "node:crypto";
import { mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { couplingKinds } from "#coupling";
import { installKinds } from "#crd";
import { type GiteaRepository, startGitea, TestGitea } from "#gitea";
import { readinessOf } from "#inventory";
import { isKubeObject, type KubeObject } from "#kube";
import { type BuiltImage, buildImage, nodePath, nodeRuntimeLayer, unprivilegedUser, writeImageArchive } from "#oci";
import { EphemeralClaim, EphemeralClass, Propagation } from "#promotion";
import { parseYamlDocuments } from "#yaml";
import { makeTenonImage } from "../../../publish/tenon-image.ts";
import { installPipelinesAsCode } from "../../pipelines-as-code/install-pipelines-as-code.ts";
import { pushImage } from "../probe-image.ts";
import type { TektonWorld } from "../use-tekton.ts";

/** Everything between a commit and what runs, on real parts: see world.yaml. */
export interface ChainWorld extends AsyncDisposable {
  readonly gitea: TestGitea;
  /** What is built for each commit. */
  readonly source: GiteaRepository;
  /** What says which image runs. */
  readonly data: GiteaRepository;
  /** Of the team: builds, tests, releases. */
  readonly tenant: string;
  /** Where the integration runs. */
  readonly stage: string;
  /** Repository of the image. */
  readonly image: string;
  /** The digest that the data begins with. */
  readonly firstDigest: string;
}

const taskImage = "localhost/tenon:chain";
const patience = { timeout: 10 * 60_000, interval: 500 };
const here = import.meta.dirname;
const forced = { fieldManager: "test", force: true } as const;

/** Starts the parts on an instance with Tekton, and Tenon: `promote` and `couple` in one process, `manage` in another. */
export async function startChain(world: TektonWorld): Promise<ChainWorld> {
  await using cleanup = new AsyncDisposableStack();
  const { client, namespace: tenant, registry, address, instance } = world;
  const stage = `${tenant}-stage`;
  const gitea = cleanup.use(new TestGitea(cleanup.use(await startGitea({ address }))));
  const { certificateAuthority } = gitea.access;
  await loadTenon(world);
  const webhook = await installPipelinesAsCode({ client, certificateAuthority, load: (each) => world.load(each) });
  cleanup.defer(await trustGitea(world, certificateAuthority));

  const firstDigest = await pushFirstImages(registry);
  const texts = { "registry.example": registry, "TASK-IMAGE": taskImage, "FIRST-DIGEST": firstDigest, STAGE: stage };
  const owner = await gitea.createUser();
  const create = async (folder: string, scripts: Readonly<Record<string, string>> = {}) =>
    await gitea.createRepository(await readFolder(folder, { ...texts, ...(await quoteScripts(scripts)) }), owner);
  const source = await create("source", { "script: SCRIPT": "build-image.mjs" });
  const tests = await create("tests", {
    "script: CLAIM-SCRIPT": "claim-environment.mjs",
    "script: TEST-SCRIPT": "deploy-and-test.mjs",
  });
  const data = await create("data");

  await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: stage } });
  cleanup.defer(() => client.delete({ apiVersion: "v1", kind: "Namespace", name: stage }));
  await world.promote(
    "--promote",
    "builds,tests,releases,propagation,environments",
    "--install-crds",
    "--plain-http",
    registry,
  );
  await installKinds(client, couplingKinds);
  for (const kind of [...couplingKinds, EphemeralClass, EphemeralClaim, Propagation]) {
    await client.discovery.whenServed(kind, AbortSignal.timeout(300_000));
  }
  world.run(["--only", "couple"]);
  const pipeline = ["--pipeline", "tekton", "--task-image", taskImage, "--plain-http", registry];
  await world.tenon(
    "promote",
    "onboard",
    tenant,
    "--application",
    "shop",
    ...pipeline,
    "--instance",
    instance,
    "--yes",
  );
  const secret = randomUUID();
  await applyWorld(world, {
    ...texts,
    TENANT: tenant,
    "https://git.example": gitea.access.url,
    "GIT-HOST": new URL(gitea.access.url).host.replace(":", "_"),
    CERTIFICATE: JSON.stringify(certificateAuthority),
    TOKEN: owner.token,
    "WEBHOOK-SECRET": secret,
    "SOURCE-URL": source.address.replace(/\.git$/, ""),
    "TESTS-URL": tests.address,
    "DATA-URL": data.address,
  });
  const hook = { url: webhook, content_type: "json", secret };
  await gitea.expect("POST", `${source.path}/hooks`, { type: "gitea", active: true, events: ["push"], config: hook });
  await runManager(world, data, certificateAuthority, cleanup);

  const kept = cleanup.move();
  return {
    gitea,
    source,
    data,
    tenant,
    stage,
    image: `${registry}/shop/web`,
    firstDigest,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Steps of the pipelines run Tenon's own image: it has Node and git. */
async function loadTenon(world: TektonWorld): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-chain-"));
  const archive = join(directory.path, "image.tar");
  await writeImageArchive([await makeTenonImage({ name: taskImage, compression: "none" })], archive);
  await world.load(archive);
}

/** Tekton's resolvers fetch pipelines from Gitea, whose certificate they do not know. Returns what takes it away again. */
async function trustGitea({ client }: TektonWorld, certificate: string): Promise<() => Promise<void>> {
  const namespace = "tekton-pipelines-resolvers";
  const name = `gitea-${createHash("sha256").update(certificate).digest("hex").slice(0, 8)}`;
  const authority = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
    data: { "ca.crt": certificate },
  };
  const metadata = { name: "tekton-pipelines-remote-resolvers", namespace };
  const env = [{ name: "GIT_SSL_CAINFO", value: `/etc/gitea/ca.crt` }];
  const container = { name: "controller", env, volumeMounts: [{ name: "gitea", mountPath: "/etc/gitea" }] };
  const spec = { containers: [container], volumes: [{ name: "gitea", configMap: { name } }] };
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata };
  const manager = { fieldManager: "chain", force: true };
  await client.apply(authority, forced);
  await client.apply({ ...deployment, spec: { template: { spec } } }, manager);
  const ref = { ...deployment, ...metadata };
  await vi.waitUntil(async () => readinessOf(await client.get(ref)).is === "ready", patience);
  return async () => void (await client.apply(deployment, manager));
}

/** The image that builds begin with, and the one that runs first. Returns the digest of that. */
async function pushFirstImages(registry: string): Promise<string> {
  const runtime = await nodeRuntimeLayer();
  const options = { compression: "none", user: `${unprivilegedUser}:${unprivilegedUser}` } as const;
  const entrypoint = [nodePath, "/app/main.mjs"];
  const base = await buildImage({ ...options, name: `${registry}/base/node:1`, layers: [runtime], entrypoint });
  const folder = join(here, "source", "app");
  const files = (await readdir(folder)).map((file) => ({ path: `/app/${file}`, copyOf: join(folder, file) }));
  const app = { comment: "app", entries: files };
  const first = await buildImage({
    ...options,
    name: `${registry}/shop/web:first`,
    layers: [runtime, app],
    entrypoint,
  });
  const push = (image: BuiltImage, repository: string, tag: string) => pushImage(image, registry, repository, tag);
  await push(base, "base/node", "1");
  await push(first, "shop/web", "first");
  return first.digest;
}

/** Scripts as literals of the file that has their names. */
async function quoteScripts(scripts: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
  const entries = Object.entries(scripts).map(async ([placeholder, file]) => {
    return [placeholder, `script: ${JSON.stringify(await readFile(join(here, file), "utf8"))}`] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function readFolder(folder: string, texts: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const found = await readdir(join(here, folder), { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const pairs = files.map(async (file) => {
    return [file.slice(join(here, folder).length + 1), replaceTexts(await readFile(file, "utf8"), texts)] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
}

function replaceTexts(text: string, texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts).reduce((now, [from, to]) => now.replaceAll(from, () => to), text);
}

async function applyWorld({ client }: TektonWorld, texts: Readonly<Record<string, string>>): Promise<void> {
  const text = replaceTexts(await readFile(join(here, "world.yaml"), "utf8"), texts);
  const objects = parseYamlDocuments(text).flatMap(({ value }): KubeObject[] => (isKubeObject(value) ? [value] : []));
  for (const object of objects) await client.apply(object, forced);
}

/** Deploys what the repository of data files says, and goes on doing so. */
async function runManager(
  world: TektonWorld,
  data: GiteaRepository,
  certificateAuthority: string,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const directory = cleanup.use(await mkdtempDisposable(join(tmpdir(), "tenon-chain-")));
  const authority = join(directory.path, "ca.crt");
  await writeFile(authority, certificateAuthority);
  const words = ["--data", `${data.address}#main`, "--interval", "1s", "--chart", join(here, "chart")];
  const state = ["--state-file", join(directory.path, "state.json"), "--context", `tenon-${world.instance}`];
  world.run(["--only", "manage", ...words, ...state], { GIT_SSL_CAINFO: authority });
}
