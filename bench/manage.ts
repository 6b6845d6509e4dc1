import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createQueryable, parseBundle } from "#bundle";
import { computeDesired, type DesiredOptions, computeValues, type ManagerData } from "#integrations";
import { ensureHelm } from "#oracle";
import { loadChart } from "#template";
import { toYaml } from "#golang";
import { mean, median, processorMs } from "./measure.ts";

const folder = join(import.meta.dirname, "..", "charts", "integrations");
const count = 200;
const runs = 10;
const { signal } = new AbortController();

/**
 * The processor time from data to hashed objects, of 200 integrations in one namespace and in 200, against that of one
 * `helm template` of the same chart with the same values. The data is loaded and the chart as well, as in a manager that runs.
 */
export async function measureManage(): Promise<void> {
  const helm = await ensureHelm(signal);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-manage-"));
  const one = manageData(1);
  const many = manageData(count);
  const { namespaces } = await computeValues(one, {}, signal);
  const values = join(directory.path, "values.yaml");
  await writeFile(values, toYaml(namespaces[0]?.values ?? {}));
  const command = [helm, "template", folder, "-f", values];
  processorMs(command);
  const helmMs = mean(Array.from({ length: runs }, () => processorMs(command)));
  const first = await desireMs(one);
  const times: { one: number; many: number }[] = [];
  for (let run = 0; run < 2 * runs; run++) times.push({ one: await desireMs(one), many: await desireMs(many) });
  const warm = times.slice(runs);
  const oneMs = median(warm.map((time) => time.one));
  const manyMs = median(warm.map((time) => time.many));
  console.log(`helm template, ${count} integrations: ${helmMs.toFixed(0)} ms of processor time (mean of ${runs})`);
  console.log(
    `  tenon, from data to hashed objects: ${oneMs.toFixed(0)} ms (bar: helm's), the first time ${first.toFixed(0)} ms`,
  );
  console.log(
    `  the same in ${count} namespaces:      ${manyMs.toFixed(0)} ms (bar: helm's), ${(manyMs / oneMs).toFixed(2)} times that (bar: 1.2)\n`,
  );
}

const chart = loadChart(folder);
const options: DesiredOptions = { chart, processEnv: {}, resolveRef: async () => "0".repeat(40) };

async function desireMs(data: ManagerData): Promise<number> {
  const before = process.cpuUsage();
  const { groups, errors } = await computeDesired(data, options, signal);
  const hashes = groups.flatMap(({ resources }) => resources.map((resource) => resource.sha256()));
  const { user, system } = process.cpuUsage(before);
  if (errors.length > 0 || hashes.length < count) throw new Error(`${errors.length} errors, ${hashes.length} objects`);
  return (user + system) / 1000;
}

/** One in five has a volume, one in ten a schedule, one in four variables of its own, and one in three sends its logs. */
export function manageData(namespaces: number): ManagerData {
  const data: Record<string, unknown> = {
    "/environment.yml": {
      $schema: "/app-sre/environment-1.yml",
      name: "bench",
      parameters: { DRY_RUN: "--no-dry-run", IMAGE_TAG: "v1" },
    },
    "/cluster.yml": { $schema: "/openshift/cluster-1.yml", name: "bench", serverUrl: "https://bench.example" },
  };
  for (let index = 0; index < namespaces; index++) {
    data[`/namespaces/${index}.yml`] = {
      $schema: "/openshift/namespace-1.yml",
      name: `namespace-${index}`,
      cluster: { $ref: "/cluster.yml" },
      environment: { $ref: "/environment.yml" },
    };
  }
  for (let index = 0; index < count; index++) {
    data[`/integrations/${index}.yml`] = {
      $schema: "/app-sre/integration-1.yml",
      name: `integration-${index}`,
      description: "for the benchmark",
      managed: [
        {
          namespace: { $ref: `/namespaces/${index % namespaces}.yml` },
          spec: {
            resources: { requests: { cpu: "100m", memory: "200Mi" }, limits: { memory: "400Mi" } },
            ...(index % 5 === 0 && { cache: true, storage: "10Gi" }),
            ...(index % 10 === 1 && { cron: "0 * * * *" }),
            ...(index % 4 === 0 && {
              extraEnv: [
                { name: "LEVEL", value: "high" },
                { secretName: "slack", secretKey: "URL" },
              ],
            }),
            ...(index % 3 === 0 && { logs: { slack: true }, extraArgs: "--thread-pool-size 10" }),
          },
        },
      ],
    };
  }
  return createQueryable(parseBundle(Buffer.from(JSON.stringify({ data })), "bench"));
}

if (import.meta.main) await measureManage();
