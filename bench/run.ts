import { measureApply } from "./apply.ts";
import { measureCli } from "./cli.ts";
import { measureClusterStart } from "./cluster-start.ts";
import { measureImport } from "./import.ts";
import { measureQueue } from "./queue.ts";
import { measureReflector } from "./reflector.ts";

const measures = [measureCli, measureImport, measureQueue, measureClusterStart, measureApply, measureReflector];
for (const measure of measures) await measure();
