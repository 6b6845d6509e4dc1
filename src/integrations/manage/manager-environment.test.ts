import { describe, expect, test } from "vitest";
import { readManagerEnvironment } from "./manager-environment.ts";

describe("upstream's environment variables for the manager", () => {
  test("E-2: an empty environment variable of the manager counts as unset", () => {
    const names = [
      "ENVIRONMENT_NAME",
      "INTEGRATIONS_MANAGER_UPSTREAM",
      "INTEGRATIONS_MANAGER_IMAGE",
      "INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF",
      "MANAGER_DRY_RUN",
      "RUN_ONCE",
      "SLEEP_DURATION_SECS",
      "SLEEP_ON_ERROR",
      "PROMETHEUS_PORT",
    ];
    const empty = Object.fromEntries(names.map((name) => [name, ""]));
    expect(readManagerEnvironment(empty)).toEqual(readManagerEnvironment({}));
    expect(readManagerEnvironment({})).toEqual({
      environment: undefined,
      upstream: undefined,
      image: undefined,
      imageTagFromRef: [],
      isDryRun: undefined,
      isRunOnce: false,
      intervalMs: 600_000,
      retryMs: 10_000,
      metricsPort: 9090,
    });
  });

  test("each is read", () => {
    expect(
      readManagerEnvironment({
        ENVIRONMENT_NAME: "stage",
        INTEGRATIONS_MANAGER_UPSTREAM: "https://git.example/x",
        INTEGRATIONS_MANAGER_IMAGE: "example/x",
        INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF: "stage=main  prod=v1",
        RUN_ONCE: "false",
        SLEEP_DURATION_SECS: "5m",
        SLEEP_ON_ERROR: "2.5",
        PROMETHEUS_PORT: "0",
      }),
    ).toMatchObject({
      environment: "stage",
      upstream: "https://git.example/x",
      image: "example/x",
      imageTagFromRef: ["stage=main", "prod=v1"],
      isRunOnce: true,
      intervalMs: 300_000,
      retryMs: 2_500,
      metricsPort: 0,
    });
  });

  test("G8-12: MANAGER_DRY_RUN makes the manager's run a dry run, DRY_RUN does not", () => {
    expect(readManagerEnvironment({ DRY_RUN: "--no-dry-run", MANAGER_DRY_RUN: "--dry-run" }).isDryRun).toBe(true);
    expect(readManagerEnvironment({ DRY_RUN: "--dry-run", MANAGER_DRY_RUN: "--no-dry-run" }).isDryRun).toBe(false);
    expect(readManagerEnvironment({ DRY_RUN: "--dry-run" }).isDryRun).toBeUndefined();
  });

  test.each([
    { reason: "something else than the two flags", env: { MANAGER_DRY_RUN: "true" } },
    { reason: "no time at all", env: { SLEEP_DURATION_SECS: "0" } },
    { reason: "no time", env: { SLEEP_ON_ERROR: "soon" } },
    { reason: "no port", env: { PROMETHEUS_PORT: "http" } },
  ])("refused: $reason", ({ env }) => {
    expect(() => readManagerEnvironment(env)).toThrow(Object.keys(env)[0]);
  });
});
