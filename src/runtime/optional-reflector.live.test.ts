import { afterAll, afterEach, expect, test } from "vitest";
import { createLogger, systemClock } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, loadAccess } from "#kube";
import { defineLamps } from "../kube/client/lamp-kind.fixture.ts";
import { createOptionalReflector } from "./optional-reflector.ts";

const { namespace } = useNamespace();
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
const client = createClient(transport);
const definition = defineLamps(`${namespace}.tenon.dev`);
const lamp = { apiVersion: `${namespace}.tenon.dev/v1`, kind: "Lamp" };
const ending = new AbortController();
afterEach(() => ending.abort());
afterAll(async () => {
  await client.delete({ ...definition, name: definition.metadata.name });
  await transport[Symbol.asyncDispose]();
});

test("what an optional reflector keeps of its objects does not concern the definition of their kind", async () => {
  const errors: string[] = [];
  const reflector = createOptionalReflector({
    client,
    clock: systemClock,
    random: () => 0.5,
    log: createLogger({ level: "error", destination: { write: (line) => void errors.push(line) } }),
    definition: definition.metadata.name,
    selection: { ...lamp, namespace },
    // A definition has no namespace, so that this would be another object.
    transform: ({ apiVersion, kind, metadata: { name, uid = "", resourceVersion = "" } }) => {
      return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
    },
  });
  const running = reflector.run(ending.signal);
  await reflector.whenSynced(ending.signal);
  expect(reflector.isServed).toBe(false);
  await client.create(definition);
  await client.discovery.whenServed(lamp, AbortSignal.timeout(300_000));
  await client.create({ ...lamp, metadata: { name: "desk", namespace }, spec: { watts: 5 } });
  await expect.poll(() => reflector.store.size).toBe(1);
  expect(reflector.store.get(`${namespace}/desk`)?.["spec"], "the transform is applied").toBeUndefined();
  expect(reflector.isServed).toBe(true);
  expect(errors).toEqual([]);
  ending.abort();
  await running.catch(() => undefined);
});
