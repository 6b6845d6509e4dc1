import { expect, test } from "vitest";
import { z } from "zod";
import { useNamespace } from "#harness";

const { api, namespace } = useNamespace();
const Deployment = z.object({ status: z.object({ readyReplicas: z.number().optional() }) });

test("a Deployment becomes ready on fake nodes, through the real scheduler and controllers", async () => {
  const labels = { app: "hello" };
  const made = await api.call("POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, {
    metadata: { name: "hello" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "hello", image: "example.invalid/hello" }] } },
    },
  });
  expect(made.status).toBe(201);

  const readyReplicas = async () => {
    const { body } = await api.call("GET", `/apis/apps/v1/namespaces/${namespace}/deployments/hello`);
    return Deployment.parse(body).status.readyReplicas;
  };
  await expect.poll(readyReplicas).toBe(3);
});
