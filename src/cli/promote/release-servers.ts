import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { CommandFailed } from "#base";
import { type GitServer, runGit, startGitServer } from "#git";
import { copyReleaseData, type ManagedWorld } from "../manage/manage-world.ts";
import { startLoopbackRegistry, storeImage } from "./loopback-registry.ts";

export const releasedRepository = "parcels/tracking";
const user = "tenon";
const identity = ["-c", "user.name=Tenon", "-c", "user.email=tenon@localhost"];

/** What stays between two runs of the example, so that objects which name an address stay right. */
const Addresses = z.object({ registryPort: z.int(), gitPort: z.int(), token: z.string().min(1) });

/** A registry and a git server on loopback, while the example runs. */
export interface ReleaseServers extends AsyncDisposable {
  /** The host of images. */
  readonly registry: string;
  /** The address of the data files, for git. */
  readonly repository: string;
  readonly login: { readonly username: string; readonly token: string };
  /** The data files, as a working tree. */
  readonly folder: string;
  /** The settings of `tenon` in that folder. */
  readonly config: string;
  /** What CI built: the digest that runs already, and the one that is released. */
  readonly digests: { readonly before: string; readonly built: string };
}

/** Starts both with the images and files of an earlier run, or makes them. */
export async function openReleaseServers(world: ManagedWorld, signal: AbortSignal): Promise<ReleaseServers> {
  const place = dirname(world.folder);
  const images = { folder: join(place, "registry") };
  const file = join(place, "addresses.json");
  await mkdir(place, { recursive: true });
  const known = await readAddresses(file);
  await using stack = new AsyncDisposableStack();
  const registry = stack.use(await onPort(startLoopbackRegistry(images, known?.registryPort), known?.registryPort));
  const token = known?.token ?? crypto.randomUUID();
  const authorization = `Basic ${Buffer.from(`${user}:${token}`).toString("base64")}`;
  const served = { authorization, ...(known ? { port: known.gitPort } : {}) };
  const git: GitServer = stack.use(await onPort(startGitServer(place, served), known?.gitPort));
  if (!known) {
    const addresses = { registryPort: registry.port, gitPort: Number(new URL(git.url).port), token };
    await writeFile(`${file}.new`, JSON.stringify(addresses), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
  const [before, built] = [
    await storeImage(images, releasedRepository, { build: "1" }),
    await storeImage(images, releasedRepository, { build: "2" }),
  ];
  const config = await copyReleaseData(world, (draft) => prepareData(draft, registry.host, before, signal));
  const owned = stack.move();
  return {
    registry: registry.host,
    repository: `${git.url}/data-files`,
    login: { username: user, token },
    folder: world.folder,
    config,
    digests: { before, built },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function readAddresses(file: string): Promise<z.infer<typeof Addresses> | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : Addresses.parse(JSON.parse(text));
}

async function onPort<Server>(starting: Promise<Server>, port: number | undefined): Promise<Server> {
  try {
    return await starting;
  } catch (cause) {
    throw new CommandFailed(`port ${port ?? 0} of 127.0.0.1 is taken, and the objects of the example name it`, {
      next: "stop the program that listens there, or begin anew with `tenon cluster reset`",
      cause,
    });
  }
}

/** The files as they were before the release: a repository with one commit, which runs the older build. */
async function prepareData(draft: string, registry: string, digest: string, signal: AbortSignal): Promise<void> {
  const file = join(draft, "data", "environments", "stage.yml");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace("registry.example", registry).replace(/sha256:0{64}/, digest));
  for (const words of [
    ["init", "--quiet", "--initial-branch", "main"],
    ["add", "--all"],
    ["commit", "--quiet", "--message", "Run the tracking of parcels"],
  ]) {
    await runGit([...identity, ...words], { directory: draft }, signal);
  }
}

/** Merges a proposal, as a person would, and returns the lines that changed, with short digests. */
export async function mergeProposal(folder: string, branch: string, signal: AbortSignal): Promise<string[]> {
  const git = (...words: string[]) => runGit([...identity, ...words], { directory: folder }, signal);
  const before = String(await git("rev-parse", "HEAD")).trim();
  await git("merge", "--quiet", "--no-edit", "--end-of-options", branch);
  const changed = String(await git("diff", "--unified=0", "--no-color", before, "HEAD"));
  return changed
    .split("\n")
    .filter((line) => /^(?:[-+] |\+\+\+ )/.test(line))
    .map((line) => line.replace(/^\+\+\+ b\//, "").replaceAll(/(sha256:[0-9a-f]{7})[0-9a-f]{57}/g, "$1..."));
}
