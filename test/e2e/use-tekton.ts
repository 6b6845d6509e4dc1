import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import { startWithAddons } from "#addons";
import { silentLogger } from "#base";
import { clusterHome, listClusters, loadImages, stopCluster } from "#cluster";
import { connect, createClient, type KubeClient, type KubeObject, loadAccess, type ObjectRef } from "#kube";
import { installPromotion } from "#promotion";
import { reportBuild } from "../harness/report-build.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "tenon");
const never = new AbortController().signal;
const polling = { interval: 500 };

/** An instance with Tekton, and a namespace on it for the test file. */
export interface TektonWorld {
  readonly namespace: string;
  /** The name of the instance. */
  readonly instance: string;
  readonly client: KubeClient;
  /** Runs the command line, which finds the instance by its name, and returns what it prints. */
  readonly tenon: (...words: readonly string[]) => Promise<string>;
  /** Installs the kinds of promotion, and runs `tenon run --only promote` until the tests have ended. */
  promote(...words: readonly string[]): Promise<void>;
  /** Puts image archives on the node. */
  load(...archives: readonly string[]): Promise<void>;
  /** The object, once it is as asked. */
  waitFor(ref: ObjectRef, isSo: (object: KubeObject) => boolean): Promise<KubeObject>;
}

/**
 * Gives the test file an instance of its own with Tekton, which ends with the tests; or the running one whose data directory
 * TENON_TEST_TEKTON names. Call it at the top level.
 */
export function useTekton(name: string): TektonWorld {
  const namespace = `shop-${crypto.randomUUID().slice(0, 8)}`;
  const given = process.env["TENON_TEST_TEKTON"];
  const instance = given ? basename(given) : name;
  const cleanup = new AsyncDisposableStack();
  let dataHome: string;
  let kubeconfig: string;
  let client: KubeClient;
  const home = () => clusterHome({ ...process.env, XDG_DATA_HOME: dataHome });
  const env = () => ({ PATH: process.env["PATH"], HOME: process.env["HOME"], XDG_DATA_HOME: dataHome });

  async function start(): Promise<string> {
    dataHome = given ? dirname(dirname(dirname(given))) : await mkdtemp(join(tmpdir(), "tenon-tekton-"));
    if (given) {
      const running = (await listClusters(home())).find((status) => status.name === instance);
      if (!running?.tekton?.isComplete) throw new Error(`${given} is not an instance with Tekton`);
      return running.kubeconfig;
    }
    cleanup.defer(async () => {
      await stopCluster({ home: home(), name }, never);
      await rm(dataHome, { recursive: true });
    });
    const onProgress = reportBuild(30_000, "Tekton");
    const options = { home: home(), name, node: true, tekton: true, endsWithUs: true, onProgress };
    return (await startWithAddons(options, never)).kubeconfig;
  }

  beforeAll(async () => {
    kubeconfig = await start();
    client = createClient(cleanup.use(connect(await loadAccess({ kubeconfig }))));
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    cleanup.defer(() => client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace }));
  });
  afterAll(() => cleanup.disposeAsync());

  return {
    namespace,
    instance,
    get client() {
      return client;
    },
    tenon: async (...words) => (await promisify(execFile)(program, words, { env: env() })).stdout,
    async promote(...words) {
      // Returns once the API server applies their policies; until then it refuses what tests create.
      await installPromotion(client, silentLogger, AbortSignal.timeout(300_000));
      const all = ["run", "--only", "promote", ...words, "--no-leader-election", "--port", "0"];
      const child = spawn(program, [...all, "--kubeconfig", kubeconfig], {
        env: env(),
        stdio: ["ignore", "ignore", process.env["TENON_TEST_TEKTON"] ? "inherit" : "ignore"],
      });
      cleanup.defer(async () => {
        child.kill("SIGTERM");
        await once(child, "close");
      });
    },
    load: async (...files) => void (await loadImages({ home: home(), name: instance, files }, never)),
    async waitFor(ref, isSo) {
      let found: KubeObject | undefined;
      const look = async () => {
        found = await client.find(ref);
        return found && isSo(found) ? "as asked" : JSON.stringify([found?.metadata.annotations, found?.["status"]]);
      };
      await expect.poll(look, { ...polling, message: `${ref.kind} ${ref.name}` }).toBe("as asked");
      if (!found) throw new Error(`${ref.kind} ${ref.name} was there a moment ago`);
      return found;
    },
  };
}
