import { describe, expect, test } from "vitest";
import { readCouplingSettings } from "./coupling-settings.ts";

describe("the settings of the job couple", () => {
  test("have defaults", () => {
    expect(readCouplingSettings({}, {})).toEqual({
      installCrds: false,
      allowClusterScoped: false,
      leaderElection: true,
      watched: undefined,
      concurrency: undefined,
    });
  });

  test("come from options and from the variables of integration-operator", () => {
    const env = { WATCH_NAMESPACE: "shop", MAX_CONCURRENT_RECONCILES: "3" };
    const options = { installCrds: true, allowClusterScoped: true, leaderElection: false, data: "of another job" };
    expect(readCouplingSettings(options, env)).toEqual({
      installCrds: true,
      allowClusterScoped: true,
      leaderElection: false,
      watched: "shop",
      concurrency: 3,
    });
  });

  test.for([
    { env: { WATCH_NAMESPACE: "shop,blog" }, says: /WATCH_NAMESPACE=shop,blog: .*one or all/, reason: "several" },
    { env: { MAX_CONCURRENT_RECONCILES: "many" }, says: /MAX_CONCURRENT_RECONCILES=many/, reason: "no number" },
    { env: { MAX_CONCURRENT_RECONCILES: "0" }, says: /from 1 to/, reason: "nobody would work" },
    { env: { DEBUG_SOCKET_ENDPOINT: "http://localhost" }, says: /calls no apparatus/, reason: "not supported" },
  ])("refuse aloud what cannot be done: $reason", ({ env, says }) => {
    expect(() => readCouplingSettings({}, env)).toThrow(says);
  });

  test("take commas and spaces around one namespace as that namespace", () => {
    expect(readCouplingSettings({}, { WATCH_NAMESPACE: " shop, " }).watched).toBe("shop");
    expect(readCouplingSettings({}, { WATCH_NAMESPACE: "" }).watched).toBeUndefined();
  });
});
