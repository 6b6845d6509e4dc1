import { askRun } from "./ask-run.ts";

process.env["TENON_TEST_KUBECONFIG"] ??= await askRun(`/clusters/${process.env["VITEST_POOL_ID"] ?? "1"}`);
