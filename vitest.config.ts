import { defineConfig } from "vitest/config";

/**
 * unit: pure, no processes of ours, part of `npm run check`.
 * live: against the real control plane and other real programs, `make test`.
 * e2e: what needs root, on a real node, `make e2e`.
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
            "test/oracle/**/*.test.ts",
            "test/charts/**/*.test.ts",
            "docs/**/*.test.ts",
          ],
          exclude: ["**/*.live.test.ts", "**/node_modules/**"],
          // Modules are loaded once a worker, not once a file: loading them anew took more processor time than the tests.
          isolate: false,
          env: { TZ: "UTC" },
        },
      },
      {
        test: {
          name: "live",
          include: [
            "src/**/*.live.test.ts",
            "test/oracle/**/*.live.test.ts",
            "test/charts/**/*.live.test.ts",
            "test/promises/**/*.test.ts",
          ],
          globalSetup: ["test/harness/global-setup.ts"],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // What is waited for is told in the background, as Events are; waiting longer costs nothing where all is well.
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/e2e/global-setup.ts"],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 60_000, interval: 200 } },
        },
      },
    ],
  },
});
