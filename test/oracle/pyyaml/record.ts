import { startPyyaml } from "./pyyaml.ts";
import { askRecorded, writeRecorded } from "./recorded.ts";

/** Writes PyYAML's answers: `node test/oracle/pyyaml/record.ts` */
const pyyaml = await startPyyaml();
if (typeof pyyaml === "string") throw new Error(pyyaml);
await using _ = pyyaml;
const recorded = await askRecorded(pyyaml);
await writeRecorded(recorded);
process.stdout.write(`${Object.keys(recorded.cases).length} cases, ${recorded.generated.length} generated texts\n`);
