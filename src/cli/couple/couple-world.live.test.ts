import { afterAll, expect, test } from "vitest";
import { finalizer, Plug, Socket } from "#coupling";
import { connect, createClient, loadAccess, refOf } from "#kube";
import { removeFinalizer } from "#runtime";
import { testKubeconfig } from "#harness";
import { FakeShell } from "../fake-shell.fixture.ts";
import { coupleWorld } from "./couple-world.ts";

/** No operator runs any more that would release them. */
afterAll(async () => {
  await using transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
  const client = createClient(transport);
  for (const namespace of ["parcels-tracking", "parcels-billing", "parcels-database"]) {
    for (const { apiVersion, kind } of [Plug, Socket]) {
      for (const object of (await client.list({ apiVersion, kind, namespace })).items) {
        await client.delete(refOf(object));
        await removeFinalizer(object, finalizer, client);
      }
    }
    await client.delete({ apiVersion: "v1", kind: "Namespace", name: namespace });
  }
});

test("the coupling of the example world runs once, and a second run changes nothing", async () => {
  const end = `
One has moved to the new database, one is deleted:
  parcels-database/postgres-16 (postgres)  Empty
  parcels-database/postgres-17 (postgres)  Coupled
  └── parcels-tracking/database  Coupled
`;
  const first = new FakeShell();
  await coupleWorld({ kubeconfig: testKubeconfig() }, first);
  expect(first.stdout.text).toBe(`
Two applications are coupled to their database:
  parcels-database/postgres-16 (postgres)  Coupled
  ├── parcels-billing/database  Coupled
  └── parcels-tracking/database  Coupled
  parcels-database/postgres-17 (postgres)  Empty
${end}`);
  const second = new FakeShell();
  await coupleWorld({ kubeconfig: testKubeconfig() }, second);
  expect(second.stdout.text).toBe(end);
});
