import { measureApply } from "./apply.ts";
import { measureCli } from "./cli.ts";
import { measureClusterStart } from "./cluster-start.ts";
import { measureImport } from "./import.ts";
import { measureReflector } from "./reflector.ts";

for (const measure of [measureCli, measureImport, measureClusterStart, measureApply, measureReflector]) await measure();
