import { startOracle } from "#oracle";
import { askHelm, readRenderings, writeGoldens } from "./renderings.ts";
import { askSchema, readSchemaCases } from "./schemas.ts";

/** Writes what Helm makes of the renderings and the schemas: `node test/charts/record.ts` */
await using oracle = await startOracle();
for (const [chart, renderings] of await readRenderings()) {
  const answers = renderings.map(async (rendering) => [rendering.name, await askHelm(oracle, rendering)] as const);
  await writeGoldens(chart, Object.fromEntries(await Promise.all(answers)));
  process.stdout.write(`${chart}: ${renderings.length} renderings\n`);
}
const schemas = (await readSchemaCases()).map(async (each) => [each.name, await askSchema(oracle, each)] as const);
await writeGoldens("schemas", Object.fromEntries(await Promise.all(schemas)));
