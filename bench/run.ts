import { measureCli } from "./cli.ts";
import { measureClusterStart } from "./cluster-start.ts";

for (const measure of [measureCli, measureClusterStart]) await measure();
