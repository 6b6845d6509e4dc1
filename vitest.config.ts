import { homedir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * Workers, and the programs that tests start, find the files that earlier ones have compiled; else loading them is a fifth of
 * the processor time. A process that is killed writes nothing there, so it must not be the only one that could.
 */
const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
process.env["NODE_COMPILE_CACHE"] ??= join(cache, "tenon", "compile-cache");

/** Limits end a test that hangs; they judge no speed. A machine with ten times its load only takes longer. */
const patience = {
  testTimeout: 10 * 60_000,
  hookTimeout: 10 * 60_000,
  expect: { poll: { timeout: 5 * 60_000 } },
};

/**
 * Node loads the files itself, as it does in development. The test runner's own modules read imports through getters, which swallow
 * the error at the end of the stack, and some tests use up the stack on purpose.
 */
const loading = { experimental: { viteModuleRunner: false } };

/**
 * unit: pure, no processes of ours, part of `npm run check`.
 * live: against the real control plane and other real programs, `make test`.
 * e2e: what needs root, on a real node, `make e2e`.
 * browser: the console in a real browser, on a control plane as of live, `make e2e`.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "test/faults/**/*.test.ts",
            "test/harness/**/*.test.ts",
            "test/oracle/**/*.test.ts",
            "test/charts/**/*.test.ts",
            "test/pages/**/*.test.ts",
            "docs/**/*.test.ts",
            "lint/**/*.test.ts",
          ],
          exclude: ["**/*.live.test.ts", "**/node_modules/**"],
          // Modules are loaded once a worker, not once a file: loading them anew took more processor time than the tests.
          isolate: false,
          maxWorkers: "100%",
          ...patience,
          ...loading,
          env: { TZ: "UTC" },
        },
      },
      {
        test: {
          name: "live",
          include: [
            "src/**/*.live.test.ts",
            "lint/**/*.live.test.ts",
            "test/oracle/**/*.live.test.ts",
            "test/charts/**/*.live.test.ts",
            "test/promises/**/*.test.ts",
          ],
          globalSetup: ["test/harness/global-setup.ts"],
          isolate: false,
          setupFiles: ["test/harness/worker-setup.ts"],
          // Each worker has a control plane of its own. Tests mostly wait, so that there are more workers than cores.
          maxWorkers: process.env["TENON_TEST_KUBECONFIG"] ? 1 : 4,
          sequence: { groupOrder: 1 },
          ...patience,
          ...loading,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts", "test/first-hour/**/*.test.ts"],
          globalSetup: ["test/e2e/global-setup.ts"],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          ...patience,
          // A file may build a program first, or type whole tutorials.
          testTimeout: 30 * 60_000,
          hookTimeout: 30 * 60_000,
          ...loading,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["test/harness/global-setup.ts"],
          setupFiles: ["test/harness/worker-setup.ts"],
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
          ...patience,
          ...loading,
        },
      },
    ],
  },
});
