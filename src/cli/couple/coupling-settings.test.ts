import { describe, expect, test } from "vitest";
import { readCouplingSettings } from "./coupling-settings.ts";

describe("the settings of the job couple", () => {
  test("the settings of the job couple have defaults", () => {
    expect(readCouplingSettings({}, {})).toEqual({
      installCrds: false,
      allowClusterScoped: false,
      leaderElection: true,
      lease: "cb0904ca.rock8s.com",
      namespaces: undefined,
      concurrency: undefined,
      apparatus: { allow: [], clusterDomain: "cluster.local", debugEndpoints: {} },
    });
  });

  test("the settings of the job couple come from options and from the variables of integration-operator", () => {
    const env = { WATCH_NAMESPACE: "shop", MAX_CONCURRENT_RECONCILES: "3" };
    const options = { installCrds: true, allowClusterScoped: true, leaderElection: false, data: "of another job" };
    expect(readCouplingSettings(options, env)).toEqual({
      installCrds: true,
      allowClusterScoped: true,
      leaderElection: false,
      lease: "cb0904ca.rock8s.com",
      namespaces: { names: ["shop"] },
      concurrency: 3,
      apparatus: { allow: [], clusterDomain: "cluster.local", debugEndpoints: {} },
    });
  });

  test("the settings of the job couple include the addresses and tokens for apparatuses", () => {
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
    { options: { apparatusEndpointAllow: ["http://a"] }, says: /http:\/\/a: not a valid host/, reason: "a URL" },
    { options: { apparatusEndpointAllow: ["*"] }, says: /not a valid host/, reason: "a pattern for all hosts" },
    { options: { apparatusTokenAccount: "caller" }, says: /NAMESPACE\/NAME/, reason: "an account without a namespace" },
  ])("an invalid apparatus setting is an error: $reason", ({ options, says }) => {
    expect(() => readCouplingSettings(options, {})).toThrow(says);
  });

  test.for([
    { env: { MAX_CONCURRENT_RECONCILES: "many" }, says: /MAX_CONCURRENT_RECONCILES=many/, reason: "not a number" },
    { env: { MAX_CONCURRENT_RECONCILES: "0" }, says: /from 1 to/, reason: "no workers" },
    { env: { DEBUG_SOCKET_ENDPOINT: "http://localhost" }, says: /use --dev/, reason: "a debug endpoint without --dev" },
  ])("an invalid variable is an error: $reason", ({ env, says }) => {
    expect(() => readCouplingSettings({}, env)).toThrow(says);
  });

  test.for([
    { options: {}, env: { WATCH_NAMESPACE: " shop, blog," }, expected: { names: ["shop", "blog"] } },
    { options: {}, env: { WATCH_NAMESPACE: "" }, expected: undefined },
    { options: { namespaces: "shop, blog" }, env: { WATCH_NAMESPACE: "old" }, expected: { names: ["shop", "blog"] } },
    {
      options: { namespaceSelector: "team=shop" },
      env: { WATCH_NAMESPACE: "old" },
      expected: { selector: "team=shop" },
    },
    {
      options: { namespaceSelector: "team in (shop, blog),!legacy,tier!=dev" },
      env: {},
      expected: { selector: "team in (shop, blog),!legacy,tier!=dev" },
    },
  ])("options go before WATCH_NAMESPACE: $options and $env are $expected", ({ options, env, expected }) => {
    expect(readCouplingSettings(options, env).namespaces).toEqual(expected);
  });

  test.for([
    { options: { namespaces: "team=shop" }, says: /names of namespaces.*--namespace-selector/, reason: "a selector" },
    { options: { namespaces: "" }, says: /names of namespaces/, reason: "no name" },
    { options: { namespaceSelector: "team=(shop" }, says: /not a valid label selector/, reason: "a broken selector" },
    { options: { namespaceSelector: "" }, says: /not a valid label selector/, reason: "an empty selector" },
  ])("namespaces that are not valid are an error: $reason", ({ options, says }) => {
    expect(() => readCouplingSettings(options, {})).toThrow(says);
  });
});
