import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "#base";
import { startHttpProxy } from "#faults";
import { testKubeconfig, useNamespace } from "#harness";
import { createClient, type KubeClient } from "../client/client.ts";
import { loadAccess } from "../access/kubeconfig.ts";
import { createReflector, type Reflector, type ReflectorOptions, type StoreChange } from "./reflector.ts";
import type { ReflectorSource } from "./reflector-source.ts";
import { connect } from "../transport/transport.ts";

const { api, namespace } = useNamespace();
/** Kubernetes puts a ConfigMap of its own into each namespace, in its own time. */
const mine = { apiVersion: "v1", kind: "ConfigMap", namespace, labelSelector: "mine=yes" };
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const access = await loadAccess({ kubeconfig: testKubeconfig() });
const transport = connect(access);
afterAll(() => transport[Symbol.asyncDispose]());
const client = createClient(transport);

interface Running extends AsyncDisposable {
  readonly reflector: Reflector;
  readonly changes: readonly StoreChange[];
  /** Waits for the change that fits; those before count too. */
  when(fits: (change: StoreChange) => boolean): Promise<StoreChange>;
}

function start(options: Partial<ReflectorOptions> = {}): Running {
  const reflector = createReflector({ client, selection: mine, clock: systemClock, random: Math.random, ...options });
  const changes: StoreChange[] = [];
  reflector.subscribe((change) => changes.push(change));
  const stopping = new AbortController();
  const running = reflector.run(stopping.signal);
  return {
    reflector,
    changes,
    async when(fits) {
      const already = changes.find(fits);
      if (already) return already;
      const { promise, resolve } = Promise.withResolvers<StoreChange>();
      using _ = reflector.subscribe((change) => {
        if (fits(change)) resolve(change);
      });
      return await promise;
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

async function make(name: string, labels: Record<string, string> = {}): Promise<void> {
  const made = await api.call("POST", path, {
    metadata: { name, labels: { mine: "yes", ...labels } },
    data: { text: "some" },
  });
  expect(made.status).toBe(201);
}

/** The requests of a list or watch of ConfigMaps, by what matters in their queries. */
function asked(requests: readonly { readonly path: string }[]): string[] {
  return requests.flatMap((request) => {
    const { pathname, searchParams } = new URL(request.path, "http://localhost");
    if (!pathname.endsWith("/configmaps")) return [];
    if (!searchParams.has("watch"))
      return [`list ${searchParams.get("limit")}${searchParams.has("continue") ? " continued" : ""}`];
    return [searchParams.has("sendInitialEvents") ? "watch initial" : "watch"];
  });
}

describe("the whole state", () => {
  test("the first state and later changes come in one stream from a server that sends initial events", async () => {
    await make("before");
    await using world = start();
    await world.reflector.whenSynced();
    expect(world.changes).toMatchObject([{ type: "added", key: `${namespace}/before`, isInitial: true }]);
    await make("after");
    await world.when(({ key }) => key === `${namespace}/after`);
    await api.call("PUT", `${path}/after`, {
      metadata: { name: "after", labels: { mine: "yes" } },
      data: { text: "other" },
    });
    await api.call("DELETE", `${path}/after`);
    await world.when(({ type }) => type === "deleted");
    expect(world.changes.slice(1)).toMatchObject([
      { type: "added", key: `${namespace}/after`, isInitial: false },
      { type: "changed", key: `${namespace}/after`, object: { data: { text: "other" } } },
      { type: "deleted", key: `${namespace}/after` },
    ]);
    expect(world.reflector.store.get(`${namespace}/before`)).toMatchObject({
      apiVersion: "v1",
      kind: "ConfigMap",
      data: { text: "some" },
    });
    expect(JSON.stringify(world.reflector.store.list())).not.toContain("managedFields");
  });

  test("the first state comes in pages from a server without initial events, which are requested only once", async () => {
    const { clientCertificate } = await access.credentials.current();
    const tls = {
      ca: access.certificateAuthority,
      cert: clientCertificate?.certificate,
      key: clientCertificate?.key.reveal(),
    };
    await using proxy = await startHttpProxy({ target: access.server, upstream: { tls } });
    const refusal = {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason: "Invalid",
      code: 422,
      message:
        "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
    };
    proxy.answer({
      match: (request) => request.path.includes("sendInitialEvents=true"),
      status: 422,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(refusal),
    });
    const credentials = { current: async () => ({}), renew: async () => false };
    await using proxied = connect({ ...access, server: proxy.url, credentials });
    await Promise.all(Array.from({ length: 7 }, (_, index) => make(`paged-${index}`)));
    await using world = start({ client: paging(createClient(proxied), 3) });
    await world.reflector.whenSynced();
    expect(world.reflector.store.size).toBe(await countConfigMaps());
    await make("later");
    await world.when(({ key, isInitial }) => key === `${namespace}/later` && !isInitial);
    const requests = asked(proxy.requests);
    expect(requests.slice(0, 4)).toEqual(["watch initial", "list 3", "list 3 continued", "list 3 continued"]);
    expect(requests.slice(4)).toEqual(["watch"]);
  });
});

/** A namespace with more than 500 objects would do as well, and take longer. */
function paging(whole: KubeClient, limit: number): ReflectorSource {
  return {
    pages: (selection, _options, signal) => whole.pages(selection, { limit }, signal),
    watch: (selection, options, signal) => whole.watch(selection, options, signal),
  };
}

async function countConfigMaps(): Promise<number> {
  const { items } = await client.list(mine);
  return items.length;
}

test("a metadata-only reflector gets objects without data, with their own kind", async () => {
  await make("secretive");
  await using world = start({ selection: { ...mine, metadataOnly: true } });
  await world.reflector.whenSynced();
  const kept = world.reflector.store.get(`${namespace}/secretive`);
  expect([kept?.apiVersion, kind(kept), kept?.["data"]]).toEqual(["v1", "ConfigMap", undefined]);
  await make("secretive-too");
  const { object } = await world.when(({ key }) => key === `${namespace}/secretive-too`);
  expect([object.apiVersion, object.kind, object["data"]]).toEqual(["v1", "ConfigMap", undefined]);
});

function kind(object: { readonly kind: string } | undefined): string | undefined {
  return object?.kind;
}

test("a reflector of one name sees only that object", async () => {
  const fieldSelector = "metadata.name=only";
  await using world = start({ selection: { ...mine, fieldSelector } });
  await world.reflector.whenSynced();
  expect(world.reflector.store.size).toBe(0);
  await make("other");
  await make("only");
  await api.call("DELETE", `${path}/only`);
  await world.when(({ type }) => type === "deleted");
  expect(world.changes.map(({ type, key }) => `${type} ${key}`)).toEqual([
    `added ${namespace}/only`,
    `deleted ${namespace}/only`,
  ]);
});

test("an object that no longer matches the selection is deleted from the store, and added when it matches again", async () => {
  await make("mover", { team: "a" });
  await using world = start({ selection: { ...mine, labelSelector: "team=a" } });
  await world.reflector.whenSynced();
  for (const team of ["b", "a"]) {
    await api.call("PUT", `${path}/mover`, { metadata: { name: "mover", labels: { team } } });
  }
  await world.when(({ type, isInitial }) => type === "added" && !isInitial);
  expect(world.changes.map(({ type }) => type)).toEqual(["added", "deleted", "added"]);
});

test("a reflector waits for a kind that does not exist yet, and its problem says so", async () => {
  const group = `${namespace}.example.com`;
  const selection = { apiVersion: `${group}/v1`, kind: "Sprocket", namespace };
  await using world = start({ selection });
  await expect.poll(() => world.reflector.problem).toMatch(/^cannot watch Sprocket .*Sprocket/);
  const schema = { openAPIV3Schema: { type: "object" } };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `sprockets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "Sprocket", plural: "sprockets" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  expect((await api.call("POST", definitions, definition)).status).toBe(201);
  try {
    await world.reflector.whenSynced(AbortSignal.timeout(300_000));
    expect(world.reflector.problem).toBeUndefined();
  } finally {
    await api.call("DELETE", `${definitions}/sprockets.${group}`);
  }
});
