import { askRun } from "./ask-run.ts";
import { recordCost } from "./record-cost.ts";

process.env["TENON_TEST_KUBECONFIG"] ??= await askRun(`/clusters/${process.env["VITEST_POOL_ID"] ?? "1"}`);
const costs = process.env["TENON_TEST_COSTS"];
if (costs) recordCost(costs);
