import { beforeAll, describe, expect, test } from "vitest";
import { createMetrics, InputError } from "#base";
import { never, testKubeconfig, useManaged } from "#harness";
import { connect, createClient, fixedCredentials, loadAccess } from "#kube";
import { ClusterClients } from "./cluster-clients.ts";
import { fetchCurrentState } from "./fetch-current-state.ts";

const { client, namespace, calls } = useManaged([]);
const clusters = ClusterClients.of({ c1: client });
const shared = { integration: "test", clusters };

beforeAll(async () => {
  for (const name of ["a", "b"]) {
    await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data: { name } });
  }
  calls.length = 0;
});

async function namesOf(options: Omit<Parameters<typeof fetchCurrentState>[0], "integration" | "clusters">) {
  const { inventory } = await fetchCurrentState({ ...shared, ...options }, never);
  const found = [...inventory].map((entry) => [
    entry.namespace,
    entry.type,
    [...entry.current.keys()].filter((name) => name !== "kube-root-ca.crt"),
  ]);
  return { found, errors: inventory.errors };
}

describe("what is there", () => {
  test("D-27: each kind is listed once for each namespace, however often it is named, in the order given", async () => {
    const namespaces = [namespace, `${namespace}-absent`, namespace].map((name) => ({
      cluster: "c1",
      namespace: name,
    }));
    const { found, errors } = await namesOf({ namespaces, managedKinds: ["Secret", "ConfigMap", "Secret"] });
    expect(errors).toEqual([]);
    expect(found, "a namespace that does not exist is empty").toEqual([
      [namespace, "Secret", []],
      [namespace, "ConfigMap", ["a", "b"]],
      [`${namespace}-absent`, "Secret", []],
      [`${namespace}-absent`, "ConfigMap", []],
    ]);
    const lists = calls.filter((call) => call.includes("/namespaces/")).toSorted();
    expect(lists).toHaveLength(4);
    expect(new Set(lists).size).toBe(4);
  });

  test("D-27: managed names are read one by one, and absent ones are left out", async () => {
    calls.length = 0;
    const managedNames = { ConfigMap: ["a", "missing"] };
    const { found } = await namesOf({
      namespaces: [{ cluster: "c1", namespace, managedNames }],
      managedKinds: ["ConfigMap"],
    });
    expect(found).toEqual([[namespace, "ConfigMap", ["a"]]]);
    expect(calls).toEqual(["a", "missing"].map((name) => `GET /api/v1/namespaces/${namespace}/configmaps/${name}`));
  });

  test("D-27: managed names of a kind that the namespace does not manage are an error; a run with its own kinds ignores them", async () => {
    const place = { cluster: "c1", namespace, managedNames: { ConfgMap: ["a"] } };
    const { errors } = await namesOf({ namespaces: [{ ...place, managedKinds: ["ConfigMap"] }], managedKinds: [] });
    expect(errors).toEqual([
      {
        cluster: "c1",
        namespace,
        what: "names are given for ConfgMap, which is not managed",
        next: "managed there are ConfigMap",
      },
    ]);
    expect((await namesOf({ namespaces: [place], managedKinds: ["Secret"] })).errors).toEqual([]);
  });

  test.each([
    { reason: "the group", type: "Deployment.apps" },
    { reason: "group and version", type: "Deployment.apps/v1" },
    { reason: "a kind of the core that another group has too", type: "Event" },
  ])("D-26: a kind may be written with group and version: $reason", async ({ type }) => {
    const { found, errors } = await namesOf({ namespaces: [{ cluster: "c1", namespace }], managedKinds: [type] });
    expect(errors).toEqual([]);
    expect(found).toMatchObject([[namespace, type, expect.any(Array)]]);
  });

  test("D-26: a kind that the cluster does not serve is left out", async () => {
    const { found, errors } = await namesOf({ namespaces: [{ cluster: "c1", namespace }], managedKinds: ["Confgmap"] });
    expect(errors).toEqual([]);
    expect(found).toEqual([[namespace, "Confgmap", []]]);
  });

  test("D-29: cluster-scoped objects are read from the whole cluster", async () => {
    const { found } = await namesOf({
      namespaces: [{ cluster: "c1", namespace: "cluster" }],
      managedKinds: ["Namespace"],
    });
    expect(found[0]?.[2]).toContain(namespace);
  });

  test("a kind in the wrong scope is an error that says what to write", async () => {
    const { errors } = await namesOf({ namespaces: [{ cluster: "c1", namespace }], managedKinds: ["Namespace"] });
    expect(errors).toMatchObject([
      { cluster: "c1", namespace, next: expect.stringContaining("under the namespace cluster") },
    ]);
  });

  test("D-48: a metric shows how long the lists took", async () => {
    const metrics = createMetrics();
    await fetchCurrentState(
      { ...shared, namespaces: [{ cluster: "c1", namespace }], managedKinds: ["ConfigMap"], metrics },
      never,
    );
    const { body } = await metrics.expose();
    expect(body).toContain('oc_get_items_seconds_count{integration="test",cluster="c1",kind="ConfigMap"} 1');
  });
});

describe("clusters out of reach", () => {
  test("D-22: each unreachable cluster is recorded with its reason, skipped clusters are not, and the others are read", async () => {
    const access = await loadAccess({ kubeconfig: testKubeconfig() });
    const metrics = createMetrics();
    const closed = { ...access, server: new URL("https://127.0.0.1:1"), credentials: fixedCredentials({}) };
    await using all = await ClusterClients.connect(
      [
        { name: "up", open: async () => createClient(connect(access)) },
        { name: "down", open: async () => createClient(connect(closed)) },
        { name: "no-token", open: () => Promise.reject(new InputError("there is no automation token")) },
        { name: "disabled", open: () => Promise.reject(new Error("never asked")), skip: "disabled for test" },
      ],
      { metrics },
      never,
    );
    const { body } = await metrics.expose();
    expect(body).toContain('qontract_reconcile_native_client{cluster_name="up",native_client="True"} 1');
    expect(all.unreachable.map(({ cluster }) => cluster)).toEqual(expect.arrayContaining(["down", "no-token"]));
    const namespaces = ["up", "down", "no-token", "disabled"].map((cluster) => ({ cluster, namespace }));
    const { inventory } = await fetchCurrentState(
      { integration: "test", clusters: all, namespaces, managedKinds: ["ConfigMap"] },
      never,
    );
    expect(inventory.errors.map(({ cluster }) => cluster)).toEqual(["down", "no-token"]);
    expect(inventory.errors[1]?.what).toContain("there is no automation token");
    expect([...inventory].map(({ cluster, current }) => [cluster, current.has("a")])).toEqual([
      ["up", true],
      ["down", false],
      ["no-token", false],
    ]);
  });
});
