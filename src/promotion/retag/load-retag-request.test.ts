import { expect, test } from "vitest";
import { describeRef, type KubeObject, type ObjectRef } from "#kube";
import { Release } from "../kinds/release.ts";
import { ReleasePlan } from "../kinds/release-plan.ts";
import { ReleasePlanAdmission } from "../kinds/release-plan-admission.ts";
import { Snapshot } from "../kinds/snapshot.ts";
import { loadRetagRequest } from "./load-retag-request.ts";

const { signal } = new AbortController();
const tags = (...names: string[]) => ({ mapping: { defaults: { tags: names } } });
const params = [{ name: "tags", value: "by-param" }];
const tenantPipeline = { pipelineRef: { resolver: "cluster" }, params };

function world(planned: object, admission?: string) {
  const kinds = { Release, ReleasePlan, ReleasePlanAdmission, Snapshot };
  const objects = new Map<string, KubeObject>();
  const put = (kind: keyof typeof kinds, namespace: string, spec: object, status: object = {}): void => {
    const object = { apiVersion: kinds[kind].apiVersion, kind, metadata: { name: "r", namespace }, spec, status };
    objects.set(describeRef({ ...object, ...object.metadata }), object);
  };
  put("Release", "shop", { snapshot: "r", releasePlan: "r", data: { ...tags("own"), note: "of the Release" } });
  put("Snapshot", "shop", {});
  put("ReleasePlan", "shop", planned, admission === undefined ? {} : { releasePlanAdmission: { name: admission } });
  put("ReleasePlanAdmission", "managed", { data: tags("admitted") });
  return { find: async (ref: ObjectRef) => objects.get(describeRef(ref)) };
}

test.for([
  {
    reason: "a tenant's account has the data of the Release and its plan, and the parameters of the pipeline",
    plan: { tenantPipeline, data: tags("planned") },
    account: "shop",
    request: { data: { ...tags("planned"), note: "of the Release" }, params },
  },
  {
    reason: "a tenant's account does not need to read the admission that comes after it",
    plan: { tenantPipeline, data: tags("planned"), target: "elsewhere" },
    account: "shop",
    request: { data: { ...tags("planned"), note: "of the Release" }, params },
  },
  {
    reason: "an account of another namespace has the data of the admission there, and nothing of the tenant's",
    plan: { tenantPipeline, data: tags("planned"), target: "managed" },
    account: "managed",
    request: { data: tags("admitted"), params: [] },
  },
])("$reason", async ({ plan, account, request }) => {
  const key = { namespace: "shop", name: "r", accountNamespace: account };
  expect(await loadRetagRequest(world(plan, "managed/r"), key, signal)).toMatchObject(request);
});

test.for([
  { reason: "no admission fits", admission: undefined, account: "managed" },
  { reason: "the admission is of another namespace", admission: "managed/r", account: "thief" },
])("an account of another namespace is refused: $reason", async ({ admission, account }) => {
  const key = { namespace: "shop", name: "r", accountNamespace: account };
  const plan = { tenantPipeline, target: "managed" };
  await expect(loadRetagRequest(world(plan, admission), key, signal)).rejects.toThrow(
    `no ReleasePlanAdmission of namespace ${account} fits the plan`,
  );
});
