import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError, systemClock } from "#base";
import {
  type ClusterHome,
  type ClusterStatus,
  listClusters,
  loadImages,
  startCluster,
  type StartedCluster,
  type StartOptions,
  writeTektonRecord,
} from "#cluster";
import { connect, createClient, loadAccess } from "#kube";
import { writeImageArchive } from "#oci";
import { applyTekton, deleteTekton, type InstallDeps, waitForTekton } from "./install-tekton.ts";
import { makeTektonImages } from "./tekton-images.ts";
import { readTektonManifests } from "./tekton-manifests.ts";
import { ensureTektonPrograms, type TektonPrograms } from "./tekton-programs.ts";

export interface AddonStartOptions extends StartOptions {
  /** Tekton Pipelines on the real node; left out, the instance has it if it had it. */
  readonly tekton?: boolean;
}

/** Starts an instance as `startCluster` does, and then what was asked to run in it. */
export async function startWithAddons(options: AddonStartOptions, signal: AbortSignal): Promise<StartedCluster> {
  const { home, name, onProgress = () => {} } = options;
  const before = (await listClusters(home)).find((instance) => instance.name === name);
  const hasTekton = options.tekton ?? before?.tekton !== undefined;
  if (hasTekton) requireNode(options, before);
  // Built first: an instance should not wait for minutes half installed.
  const programs = hasTekton || before?.tekton ? await ensureTektonPrograms(home, onProgress, signal) : undefined;
  const started = await startCluster(options, signal);
  if (!programs) return started;
  const begin = systemClock.monotonic();
  await using transport = connect(await loadAccess({ kubeconfig: started.kubeconfig }));
  const deps: InstallDeps = {
    client: createClient(transport),
    clock: systemClock,
    report: (message) => onProgress({ kind: "start", project: "Tekton", message, ms: systemClock.monotonic() - begin }),
  };
  const tekton = hasTekton
    ? await ensureTekton(started, programs, { ...deps, home }, signal)
    : await removeTekton(started, programs, deps, signal);
  const { tekton: _, ...rest } = started;
  return { ...rest, ...(tekton ? { tekton } : {}), readyMs: started.readyMs + (systemClock.monotonic() - begin) };
}

function requireNode(options: AddonStartOptions, before: ClusterStatus | undefined): void {
  if (options.node ?? before?.node) return;
  if (before?.tekton && options.tekton === undefined) {
    throw new InputError(`instance ${options.name} has Tekton, whose pipelines run on the real node`, {
      next: "add --no-tekton, which deletes Tekton with its pipelines and runs",
    });
  }
  throw new InputError("Tekton needs a real node, on which its pipelines run", { next: "add --node" });
}

async function ensureTekton(
  instance: ClusterStatus,
  programs: TektonPrograms,
  deps: InstallDeps & { readonly home: ClusterHome },
  signal: AbortSignal,
): Promise<ClusterStatus["tekton"]> {
  const { version, hash } = programs;
  const manifests = await readTektonManifests(programs);
  const isInstalled = instance.tekton?.isComplete && instance.tekton.hash === hash;
  if (!isInstalled) {
    await writeTektonRecord(instance.dataDir, { version, hash, isComplete: false });
    await loadTektonImages(instance, programs, deps, signal);
    await applyTekton(manifests, deps, signal);
  }
  await waitForTekton(manifests, deps, signal);
  const record = { version, hash, isComplete: true };
  if (!isInstalled) await writeTektonRecord(instance.dataDir, record);
  return record;
}

async function loadTektonImages(
  { name }: ClusterStatus,
  programs: TektonPrograms,
  { home, report }: { readonly home: ClusterHome; readonly report: (message: string) => void },
  signal: AbortSignal,
): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-tekton-"));
  const archive = join(directory.path, "image.tar");
  for await (const image of makeTektonImages(programs)) {
    report(`loading ${image.name}`);
    await writeImageArchive([image], archive);
    await loadImages({ home, name, files: [archive] }, signal);
  }
}

async function removeTekton(
  { dataDir }: ClusterStatus,
  programs: TektonPrograms,
  { client, report }: InstallDeps,
  signal: AbortSignal,
): Promise<undefined> {
  report("deleting it");
  await deleteTekton(await readTektonManifests(programs), client, signal);
  await writeTektonRecord(dataDir, undefined);
}
