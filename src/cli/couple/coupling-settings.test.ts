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
      apparatus: { allow: [], clusterDomain: "cluster.local", debugEndpoints: {} },
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
      apparatus: { allow: [], clusterDomain: "cluster.local", debugEndpoints: {} },
    });
  });

  test("say how apparatuses are called", () => {
    const env = { DEBUG_PLUG_ENDPOINT: "http://127.0.0.1:3000/plug", DEBUG_SOCKET_ENDPOINT: "" };
    const options = {
      apparatusEndpointAllow: ["keycloak.example.com", "*.corp.example:8443", "[2001:db8::1]:80"],
      apparatusTokenAccount: "tenon/caller",
      clusterDomain: "corp.local.",
      dev: true,
    };
    expect(readCouplingSettings(options, env).apparatus).toEqual({
      allow: options.apparatusEndpointAllow,
      clusterDomain: "corp.local",
      debugEndpoints: { plug: env.DEBUG_PLUG_ENDPOINT },
      tokenAccount: { namespace: "tenon", name: "caller" },
    });
  });

  test.for([
    { options: { apparatusEndpointAllow: ["http://a"] }, says: /http:\/\/a: is no host/, reason: "a URL" },
    { options: { apparatusEndpointAllow: ["*"] }, says: /is no host/, reason: "everything" },
    { options: { apparatusTokenAccount: "caller" }, says: /NAMESPACE\/NAME/, reason: "no namespace" },
  ])("refuse what is no setting of apparatuses: $reason", ({ options, says }) => {
    expect(() => readCouplingSettings(options, {})).toThrow(says);
  });

  test.for([
    { env: { WATCH_NAMESPACE: "shop,blog" }, says: /WATCH_NAMESPACE=shop,blog: .*one or all/, reason: "several" },
    { env: { MAX_CONCURRENT_RECONCILES: "many" }, says: /MAX_CONCURRENT_RECONCILES=many/, reason: "no number" },
    { env: { MAX_CONCURRENT_RECONCILES: "0" }, says: /from 1 to/, reason: "nobody would work" },
    { env: { DEBUG_SOCKET_ENDPOINT: "http://localhost" }, says: /say --dev/, reason: "not in earnest" },
  ])("refuse aloud what cannot be done: $reason", ({ env, says }) => {
    expect(() => readCouplingSettings({}, env)).toThrow(says);
  });

  test("take commas and spaces around one namespace as that namespace", () => {
    expect(readCouplingSettings({}, { WATCH_NAMESPACE: " shop, " }).watched).toBe("shop");
    expect(readCouplingSettings({}, { WATCH_NAMESPACE: "" }).watched).toBeUndefined();
  });
});
