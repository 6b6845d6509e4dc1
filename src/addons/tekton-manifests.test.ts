import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readTektonManifests } from "./tekton-manifests.ts";

const namespace = `apiVersion: v1
kind: Namespace
metadata: { name: tekton-pipelines, labels: { version: "devel" } }
`;
const controller = `apiVersion: apps/v1
kind: Deployment
metadata: { name: controller, namespace: tekton-pipelines }
spec:
  template:
    metadata: { labels: { app: controller } }
    spec:
      serviceAccountName: controller
      containers:
        - name: controller
          image: ko://github.com/tektoncd/pipeline/cmd/controller
          args:
            - "-nop-image"
            - "ko://github.com/tektoncd/pipeline/cmd/nop"
            - "-shell-image"
            - "registry.example/busybox@sha256:1"
---
apiVersion: v1
kind: Service
metadata: { name: controller, namespace: tekton-pipelines }
`;
const resolvers = `apiVersion: apps/v1
kind: Deployment
metadata: { name: resolvers, namespace: resolvers }
spec:
  template:
    spec:
      containers:
        - { name: controller, command: [/sbin/tini, --, /ko-app/resolvers], args: [] }
`;

function sampleOf(kind: string): string {
  return `apiVersion: example.org/v1\nkind: ${kind}\nmetadata: { name: a }\n`;
}

async function arrange(files: Readonly<Record<string, string>>) {
  await using folder = await mkdtempDisposable(join(tmpdir(), "tenon-manifests-"));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true });
    await writeFile(join(folder.path, file), text);
  }
  return await readTektonManifests({ version: "1.2.3", hash: "abc", directory: "", manifests: folder.path });
}

test("manifests come with the images of the instance, and with the version of the release", async () => {
  const { namespaces, others, deployments } = await arrange({
    "100-namespace/100-namespace.yaml": namespace,
    "controller.yaml": controller,
  });
  expect(namespaces).toMatchObject([{ metadata: { labels: { version: "v1.2.3" } } }]);
  expect(others).toMatchObject([{ kind: "Service" }]);
  expect(deployments).toMatchObject([
    {
      spec: {
        template: {
          metadata: { labels: { app: "controller" }, annotations: { "tenon.dev/programs": "abc" } },
          spec: {
            serviceAccountName: "controller",
            containers: [
              {
                image: "localhost/tekton/controller:1.2.3",
                args: ["-nop-image", "localhost/tekton/nop:1.2.3", "-shell-image", "localhost/tekton/shell:1.2.3"],
              },
            ],
          },
        },
      },
    },
  ]);
});

test("the resolvers run without tini, which their image does not have", async () => {
  const { deployments } = await arrange({ "resolvers/resolvers-deployment.yaml": resolvers });
  expect(deployments).toMatchObject([
    { spec: { template: { spec: { containers: [{ command: ["/ko-app/resolvers"] }] } } } },
  ]);
});

test("kinds, webhooks and programs are apart, because each needs those before it", async () => {
  const kinds = ["CustomResourceDefinition", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
  const { definitions, webhooks, others } = await arrange({
    "500-webhooks.yaml": [...kinds, "Secret"].map(sampleOf).join("---\n"),
  });
  expect([definitions, webhooks, others].map((objects) => objects.map(({ kind }) => kind))).toEqual([
    kinds.slice(0, 1),
    kinds.slice(1),
    ["Secret"],
  ]);
});

test("the sender of events and the autoscaler of the webhook are left out", async () => {
  const manifests = await arrange({ "events.yaml": controller, "webhook-hpa.yaml": controller });
  expect(Object.values(manifests).flat()).toEqual([]);
});
