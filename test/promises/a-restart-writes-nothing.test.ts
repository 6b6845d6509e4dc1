import { expect, test } from "vitest";
import { testKubeconfig, useManaged } from "#harness";
import { keepNamespace } from "./managed/keep-namespace.ts";
import { allKinds, oneOfEach } from "./managed/objects.ts";

const { client, namespace } = useManaged([]);

async function versions(): Promise<string[]> {
  const kinds = allKinds.map((kind) => ({ apiVersion: kind === "Deployment" ? "apps/v1" : "v1", kind, namespace }));
  const lists = await Promise.all(kinds.map((kind) => client.list(kind)));
  const ours = lists
    .flatMap(({ items }) => items)
    .filter(({ metadata }) => metadata.annotations?.["qontract.sha256sum"]);
  // Controllers report into the status of a Deployment; what it is counts in its generation.
  return ours.map(
    ({ kind, metadata: { name, resourceVersion, generation } }) => `${kind} ${name} ${generation ?? resourceVersion}`,
  );
}

test("a process that is restarted changes no object", async () => {
  await using kept = await keepNamespace(testKubeconfig(), namespace);
  expect(await (await kept.start(oneOfEach())).ended).toMatchObject({ code: 0 });
  const before = await versions();
  expect(before).toHaveLength(4);
  expect(await (await kept.start(oneOfEach())).ended).toMatchObject({ code: 0, output: "4 unchanged\n" });
  expect(await versions()).toEqual(before);
});
