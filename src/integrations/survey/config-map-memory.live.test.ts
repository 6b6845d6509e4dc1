import { expect, test } from "vitest";
import { never, testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, loadAccess } from "#kube";
import { configMapMemory } from "./config-map-memory.ts";
import { rememberNamespaces, type RememberedNamespace } from "./remembered-namespaces.ts";

const { namespace } = useNamespace();

function entry(name: string): RememberedNamespace {
  return {
    cluster: { name: "c1", serverUrl: "https://c1" },
    namespace: name,
    environment: "test",
    caller: "a",
    kinds: ["Deployment"],
  };
}

test("D-53: managers that share a memory keep each other's entries, and write only when something is new", async () => {
  await using transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
  const client = createClient(transport);
  const memory = configMapMemory(client, { namespace });
  expect(await memory.read(never)).toEqual([]);
  const names = ["n0", "n1", "n2", "n3", "n4"];
  await Promise.all(
    names.map((name) =>
      configMapMemory(client, { namespace }).update((known) => rememberNamespaces(known, [entry(name)]), never),
    ),
  );
  expect(await memory.read(never)).toEqual(names.map(entry));
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "tenon-managed-namespaces" };
  const before = await client.get(ref);
  await memory.update((known) => rememberNamespaces(known, [entry("n3")]), never);
  expect((await client.get(ref)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
});
