import { readFileSync } from "node:fs";
import { mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { load } from "js-yaml";
import { BundleValidator, builtInSchemas, type SourceChanges, openBundleSource } from "#bundle";
import { writeDataRepository } from "./data-repository.ts";
import { median } from "./measure.ts";

const files = 8_000;
const runs = 5;

/** Reading and validating a data repository against js-yaml and ajv alone, and doing it again after one change. */
export async function measureBundleLoad(): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-data-"));
  await writeDataRepository(directory.path, files);
  const times = { alone: [] as number[], cold: [] as number[], hinted: [] as number[], unhinted: [] as number[] };
  for (let run = 0; run < runs; run++) {
    times.alone.push(await milliseconds(() => readAlone(join(directory.path, "data"))));
    const stop = new AbortController();
    const source = openBundleSource(directory.path);
    const validator = new BundleValidator();
    const readAndValidate = async (changes?: SourceChanges) => {
      const { errors } = validator.validate(await source.load(stop.signal, changes));
      if (errors.length > 0) throw new Error(`the benchmark's data is wrong: ${errors[0]?.what}`);
    };
    times.cold.push(await milliseconds(readAndValidate));
    const changes = source.changes?.(stop.signal)[Symbol.asyncIterator]();
    await changes?.next();
    for (let again = 0; again < 3; again++) {
      await changeOne(directory.path, `hinted ${run} ${again}`);
      const change = await changes?.next();
      times.hinted.push(await milliseconds(() => readAndValidate(change?.value ?? undefined)));
      await changeOne(directory.path, `unhinted ${run} ${again}`);
      times.unhinted.push(await milliseconds(readAndValidate));
      await changes?.next();
    }
    stop.abort();
  }
  const [alone, cold] = [median(times.alone), median(times.cold)];
  const [hinted, unhinted] = [median(times.hinted), median(times.unhinted)];
  const share = (part: number) => `${part.toFixed(0)} ms, ${((100 * part) / cold).toFixed(1)} %`;
  console.log(`data, ${files} files, read and validated: ${cold.toFixed(0)} ms of processor time (median of ${runs})`);
  console.log(`js-yaml and ajv alone: ${alone.toFixed(0)} ms, ratio ${(cold / alone).toFixed(2)} (bar: at most 1.5)`);
  console.log(`again after one change of a watched directory: ${share(hinted)} (bar: under 5 %)`);
  console.log(`the same without a hint which files changed: ${share(unhinted)}\n`);
}

async function readAlone(root: string): Promise<void> {
  const ajv = new Ajv({ strict: false, validateSchema: false, logger: false });
  for (const [path, { $schema: _, ...schema }] of builtInSchemas) ajv.addSchema(schema, path);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const value = load(readFileSync(join(entry.parentPath, entry.name), "utf8"));
    const validate = ajv.getSchema(schemaOf(value));
    if (!validate?.(value)) throw new Error(`${entry.name}: ${JSON.stringify(validate?.errors)}`);
  }
}

function schemaOf(value: unknown): string {
  return typeof value === "object" && value !== null && "$schema" in value ? String(value.$schema) : "";
}

async function changeOne(root: string, what: string): Promise<void> {
  const file = join(root, "data/services/service-7/integrations/integration-2007.yml");
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text.replace(/^upstream: .*$/m, `upstream: https://git.example.com/${what.replaceAll(" ", "/")}`),
  );
}

/** Processor time, because it does not depend on other processes. */
async function milliseconds(task: () => Promise<void>): Promise<number> {
  const begin = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}
