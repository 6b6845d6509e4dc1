import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createClient, loadAccess } from "#kube";
import { benchCluster } from "./bench-cluster.ts";
import { writeIntegrationFiles } from "./integration-files.ts";
import { describeSpent, spend, type Spent } from "./measure.ts";
import { PackedCli } from "./packed-cli.ts";

const sizes = [1_000, 5_000];
const namespaces = 100;
const clusters = 20;

/** What one command takes for so many integrations. */
interface Figure extends Spent {
  readonly megabytes: number;
}

/**
 * The packed CLI with integrations in 100 namespaces on 20 clusters, which are two control planes under other names: a first plan,
 * the apply, and a plan without changes. What it takes for each 1,000 integrations should not grow with their number.
 */
export async function measureMany(): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-many-"));
  const cli = await PackedCli.pack(directory.path);
  await using one = await benchCluster();
  await using other = await benchCluster();
  const planes = [one.kubeconfig, other.kubeconfig];
  const kubeconfig = join(directory.path, "kubeconfig");
  await writeFile(kubeconfig, await mergeKubeconfigs(planes));
  const contexts = Array.from({ length: clusters }, (_, index) => [
    "--cluster-context",
    `cluster-${index}=plane-${index % planes.length}`,
  ]).flat();
  const figures = new Map<number, Record<"first plan" | "apply" | "plan without changes", Figure>>();
  for (const integrations of sizes) {
    const prefix = `of-${integrations}`;
    const data = join(directory.path, prefix);
    await writeIntegrationFiles(data, { integrations, namespaces, clusters, prefix });
    await createNamespaces(planes, prefix);
    const flags = ["--data", data, "--kubeconfig", kubeconfig, ...contexts];
    const run = async (...words: string[]): Promise<Figure> => {
      let megabytes = 0;
      const spent = await spend(async () => {
        megabytes = await cli.peakMemory([...words, ...flags]);
      });
      return { ...spent, megabytes };
    };
    figures.set(integrations, {
      "first plan": await run("plan", "--exit-zero"),
      apply: await run("apply", "--yes"),
      "plan without changes": await run("plan"),
    });
  }
  print(figures);
}

function print(figures: ReadonlyMap<number, Record<string, Figure>>): void {
  console.log(`packed CLI, integrations in ${namespaces} namespaces on ${clusters} clusters (two control planes):`);
  const perThousand = new Map<string, number[]>();
  for (const [integrations, commands] of figures) {
    for (const [command, { wall, processor, megabytes }] of Object.entries(commands)) {
      const share = integrations / 1_000;
      const each = { wall: wall / share, processor: processor / share };
      perThousand.set(command, [...(perThousand.get(command) ?? []), each.processor]);
      console.log(
        `  ${integrations}, ${command}: ${describeSpent({ wall, processor })}, ${megabytes.toFixed(0)} MB; per 1,000: ${describeSpent(each)}, ${(megabytes / share).toFixed(0)} MB`,
      );
    }
  }
  for (const [command, [small = 0, large = 0]] of perThousand) {
    console.log(`  ${command}: ${(large / small).toFixed(2)} times the CPU per 1,000 (bar: 1.2, which is linear)`);
  }
  console.log();
}

/** Namespaces are on clusters by turns, and these on control planes. */
async function createNamespaces(planes: readonly string[], prefix: string): Promise<void> {
  for (const [at, kubeconfig] of planes.entries()) {
    await using transport = connect(await loadAccess({ kubeconfig }));
    const client = createClient(transport);
    for (let index = 0; index < namespaces; index += 1) {
      if ((index % clusters) % planes.length !== at) continue;
      await client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: `${prefix}-${index}` } });
    }
  }
}

/** With the contexts `plane-0`, `plane-1` and so on. */
async function mergeKubeconfigs(planes: readonly string[]): Promise<string> {
  const accesses = await Promise.all(planes.map((kubeconfig) => loadAccess({ kubeconfig })));
  const credentials = await Promise.all(accesses.map((access) => access.credentials.current()));
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: accesses.map(({ server, certificateAuthority }, at) => ({
      name: `plane-${at}`,
      cluster: { server: server.origin, "certificate-authority-data": base64(certificateAuthority) },
    })),
    users: credentials.map(({ clientCertificate }, at) => ({
      name: `plane-${at}`,
      user: {
        "client-certificate-data": base64(clientCertificate?.certificate),
        "client-key-data": base64(clientCertificate?.key.reveal()),
      },
    })),
    contexts: planes.map((_, at) => ({
      name: `plane-${at}`,
      context: { cluster: `plane-${at}`, user: `plane-${at}` },
    })),
  });
}

function base64(text: string | undefined): string {
  return Buffer.from(text ?? "").toString("base64");
}

if (import.meta.main) await measureMany();
