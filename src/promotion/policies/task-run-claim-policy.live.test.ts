import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { silentLogger, valueAt } from "#base";
import { testKubeconfig, useNamespace } from "#harness";
import { connect, createClient, loadAccess, type NewObject } from "#kube";
import { claimTemplateAnnotation } from "../driver/driver-names.ts";
import { installPolicies } from "./install-policies.ts";
import { taskRunClaimPolicy } from "./task-run-claim-policy.ts";

const { namespace } = useNamespace();
const transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
const client = createClient(transport);
afterAll(() => transport[Symbol.asyncDispose]());

type Texts = Readonly<Record<string, string>>;

const taskRun: Texts = { "tekton.dev/taskRun": "e2e" };
const annotation: Texts = { [claimTemplateAnnotation]: "environment" };

function pod(labels: Texts, annotations: Texts, steps: readonly object[] = [{}]): NewObject {
  const containers = steps.map((step, index) => ({ name: `step-${index}`, image: "registry.example/test:1", ...step }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "e2e-pod", namespace, labels, annotations },
    spec: { containers },
  };
}

/** The claims of the pod, and those of each container, as the API server would store them. */
async function claimsOf(asked: NewObject): Promise<readonly unknown[]> {
  const { spec } = await client.create(asked, { dryRun: true });
  const containers = valueAt(spec, ["containers"]);
  const ofContainers = Array.isArray(containers)
    ? containers.map((each) => valueAt(each, ["resources", "claims"]))
    : [];
  return [valueAt(spec, ["resourceClaims"]), ...ofContainers];
}

const claim = [{ name: "environment", resourceClaimTemplateName: "environment" }];
const used = [{ name: "environment" }];

beforeAll(async () => {
  await installPolicies(client, taskRunClaimPolicy, silentLogger, AbortSignal.timeout(300_000));
  await vi.waitUntil(async () => (await claimsOf(pod(taskRun, annotation)))[0] !== undefined, { timeout: 300_000 });
});

test("the pod of a TaskRun with the annotation gets a claim by that template, and all its steps use it", async () => {
  const requests = { memory: "64Mi" };
  const steps = [{ resources: { requests } }, {}];
  expect(await claimsOf(pod(taskRun, annotation, steps))).toEqual([claim, used, used]);
  const { spec } = await client.create(pod(taskRun, annotation, steps), { dryRun: true });
  expect(valueAt(spec, ["containers", 0, "resources", "requests"])).toEqual(requests);
});

test("a step that names the claim itself uses it once", async () => {
  expect(await claimsOf(pod(taskRun, annotation, [{ resources: { claims: used } }]))).toEqual([claim, used]);
});

test.each<{ reason: string; labels: Texts; annotations: Texts }>([
  { reason: "a pod of Tekton without the annotation", labels: taskRun, annotations: {} },
  { reason: "the annotation on a pod of something else", labels: {}, annotations: annotation },
])("stays as it is: $reason", async ({ labels, annotations }) => {
  expect(await claimsOf(pod(labels, annotations))).toEqual([undefined, undefined]);
});
