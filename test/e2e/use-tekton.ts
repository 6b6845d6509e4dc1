import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import { startWithAddons } from "#addons";
import { silentLogger, valueAt } from "#base";
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
  /** Its real node: the name, and the first process in the node's namespaces. */
  readonly node: () => Promise<{ readonly name: string; readonly pid: number }>;
  /** Runs the command line, which finds the instance by its name, and returns what it prints. */
  readonly tenon: (...words: readonly string[]) => Promise<string>;
  /** The address by which pods reach this machine. */
  readonly address: string;
  /** Where images are pushed and pulled, by a name that pods, the node and this machine have in common. */
  readonly registry: string;
  /** An administrator's. */
  readonly kubeconfig: string;
  /** Runs `tenon run` with these words until the tests have ended. */
  run(words: readonly string[], variables?: Readonly<Record<string, string>>): void;
  /** Installs the kinds of promotion, and runs `tenon run --only promote` until the tests have ended. */
  promote(...words: readonly string[]): Promise<void>;
  /** Stops the instance and starts it again, as the restart of its machine does. */
  restart(): Promise<void>;
  /** Puts image archives on the node. */
  load(...archives: readonly string[]): Promise<void>;
  /** The object, once it is as asked. */
  waitFor(ref: ObjectRef, isSo: (object: KubeObject) => boolean): Promise<KubeObject>;
}

/**
 * Gives the test file an instance of its own with Tekton, which ends with the tests; or the running one whose data directory
 * TENON_TEST_TEKTON names. Call it at the top level.
 */
export function useTekton(name: string, options: { readonly cdi?: true } = {}): TektonWorld {
  const namespace = `shop-${crypto.randomUUID().slice(0, 8)}`;
  const given = process.env["TENON_TEST_TEKTON"];
  const instance = given ? basename(given) : name;
  const cleanup = new AsyncDisposableStack();
  let dataHome: string;
  let kubeconfig: string;
  let client: KubeClient;
  let address: string;
  let registry: string;
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
    return await startInstance();
  }

  async function startInstance(): Promise<string> {
    const onProgress = reportBuild(30_000, "Tekton");
    const asked = { ...options, home: home(), name: instance, node: true, tekton: true, onProgress };
    return (await startWithAddons({ ...asked, endsWithUs: !given }, never)).kubeconfig;
  }

  beforeAll(async () => {
    kubeconfig = await start();
    client = createClient(cleanup.use(connect(await loadAccess({ kubeconfig }))));
    // The API server runs on this machine.
    const slice = {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      namespace: "default",
      name: "kubernetes",
    };
    address = String(valueAt(await client.get(slice), ["endpoints", 0, "addresses", 0]));
    const status = (await listClusters(home())).find((each) => each.name === instance);
    registry = status?.registry?.replace("127.0.0.1", address) ?? "";
    await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    cleanup.defer(() => client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace }));
  });
  afterAll(() => cleanup.disposeAsync());

  function run(words: readonly string[], variables: Readonly<Record<string, string>> = {}): void {
    const child = spawn(program, ["run", ...words, "--no-leader-election", "--port", "0", "--kubeconfig", kubeconfig], {
      env: { ...env(), ...variables },
      stdio: ["ignore", "ignore", process.env["TENON_TEST_TEKTON"] ? "inherit" : "ignore"],
    });
    cleanup.defer(async () => {
      child.kill("SIGTERM");
      await once(child, "close");
    });
  }

  return {
    namespace,
    instance,
    get client() {
      return client;
    },
    get address() {
      return address;
    },
    get registry() {
      return registry;
    },
    get kubeconfig() {
      return kubeconfig;
    },
    run,
    async node() {
      const record: unknown = JSON.parse(await readFile(join(home().data, instance, "run.json"), "utf8"));
      return { name: `${instance}-node`, pid: Number(valueAt(record, ["nodePid"])) };
    },
    tenon: async (...words) => (await promisify(execFile)(program, words, { env: env() })).stdout,
    async promote(...words) {
      // Returns once the API server applies their policies; until then it refuses what tests create.
      await installPromotion(client, silentLogger, AbortSignal.timeout(300_000));
      run(["--only", "promote", ...words]);
    },
    async restart() {
      await stopCluster({ home: home(), name: instance }, never);
      await startInstance();
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
