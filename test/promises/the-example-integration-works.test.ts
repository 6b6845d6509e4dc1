import { expect, test } from "vitest";
import { testKubeconfig, useManaged } from "#harness";
import { keepNamespace } from "./managed/keep-namespace.ts";
import { configMap, oneOfEach } from "./managed/objects.ts";

const { client, namespace } = useManaged([]);

test("the integration of docs/how-to/build-an-integration.md plans, creates, maintains and deletes the objects of its file", async () => {
  await using kept = await keepNamespace(testKubeconfig(), namespace);
  const run = async (...args: Parameters<typeof kept.start>) => await (await kept.start(...args)).ended;

  const dry = await run(oneOfEach(), "--dry-run");
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.output).toContain("4 to create");
  expect(dry.output).toContain(`PATCH /apis/apps/v1/namespaces/${namespace}/deployments/app {`);
  expect(dry.output).not.toContain("hunter22");
  const settings = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "settings" };
  expect(await client.find(settings)).toBeUndefined();

  expect(await run(oneOfEach())).toMatchObject({ code: 0 });
  expect(await client.get(settings)).toMatchObject({ data: { a: "1" } });

  const again = await run(oneOfEach());
  expect(again).toMatchObject({ code: 0, output: "4 unchanged\n", log: "" });

  const faults = [configMap("Not_A_Name"), configMap("twice"), configMap("twice")];
  const faulty = await run([...oneOfEach().slice(1), ...faults]);
  expect(faulty.code).toBe(1);
  expect(faulty.output).toContain("Not_A_Name");
  expect(faulty.output).toMatch(/ConfigMap twice: is desired twice, first by .*objects.yaml:\d+/);
  expect(await client.find({ ...settings, name: "twice" }), "the rest is done").toBeDefined();
  expect(await client.find(settings), "what could not be read may be what is missing").toBeDefined();

  expect(await run(oneOfEach().slice(1))).toMatchObject({ code: 0 });
  expect(await client.find(settings)).toBeUndefined();
});
