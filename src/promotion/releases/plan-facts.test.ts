import { expect, test } from "vitest";
import { createObjectStore, type KubeObject } from "#kube";
import { byApplication } from "../builds/build-reconciler.ts";
import { byTenant, indexByNamespace, indexByOwner } from "../promotion-sources.ts";
import { planFactsOf } from "./plan-facts.ts";

function objectOf(kind: string, key: string, spec: object = {}): KubeObject {
  const [namespace = "", name = ""] = key.split("/");
  return { apiVersion: "v1", kind, metadata: { name, namespace, uid: `${kind}/${key}` }, spec };
}

const applications = createObjectStore({ onChange() {} });
const components = createObjectStore({ onChange() {}, indexers: { [byApplication]: indexByOwner } });
const quotas = createObjectStore({ onChange() {}, indexers: { [byTenant]: indexByNamespace } });
for (const key of ["shop/market", "other/blog"]) applications.put(objectOf("Application", key));
components.put(objectOf("Component", "shop/cart", { application: "market" }));
components.put(objectOf("Component", "shop/till", { application: "market" }));
components.put(objectOf("Component", "shop/post", { application: "blog" }));
components.put(objectOf("Component", "other/cart", { application: "market" }));
components.put(objectOf("Component", "shop/alone"));
const objects = objectOf("ResourceQuota", "shop/objects");
for (const quota of [objects, objectOf("ResourceQuota", "other/objects")]) quotas.put(quota);

const accounts = createObjectStore({ onChange() {} });
accounts.put(objectOf("ServiceAccount", "shop/pusher"));
const expiring = [{ image: "quay.io/acme/cart:1", after: "5d" }];
const expiringOf = () => expiring;

const factsAround = planFactsOf({ applications, components, quotas, accounts, expiringOf });
const builtin = { pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "retag" }] } };
const pipelineOf = (serviceAccountName: string) => ({ ...builtin, serviceAccountName });

test.for([
  {
    reason: "an Application with components",
    spec: { application: "market" },
    facts: { hasOwner: true, components: ["cart", "till"], quotas: [objects], missingAccounts: [], expiring },
  },
  {
    reason: "an Application that exists in another namespace only",
    spec: { application: "blog" },
    facts: { hasOwner: false, components: ["post"], quotas: [objects], missingAccounts: [], expiring },
  },
  {
    reason: "a ComponentGroup, of which neither existence nor components are judged",
    spec: { componentGroup: "market" },
    facts: { quotas: [objects], missingAccounts: [], expiring },
  },
  {
    reason: "a service account that exists",
    spec: { componentGroup: "market", tenantPipeline: pipelineOf("pusher") },
    facts: { quotas: [objects], missingAccounts: [], expiring },
  },
  {
    reason: "service accounts that do not, of both pipelines",
    spec: { componentGroup: "market", tenantPipeline: pipelineOf("other"), finalPipeline: pipelineOf("last") },
    facts: {
      quotas: [objects],
      missingAccounts: [
        { name: "other", fields: ["spec.tenantPipeline"] },
        { name: "last", fields: ["spec.finalPipeline"] },
      ],
      expiring,
    },
  },
  {
    reason: "the account of a pipeline of Tenon's own that names none",
    spec: { componentGroup: "market", tenantPipeline: builtin, finalPipeline: builtin },
    facts: {
      quotas: [objects],
      missingAccounts: [{ name: "appstudio-pipeline", fields: ["spec.tenantPipeline", "spec.finalPipeline"] }],
      expiring,
    },
  },
  {
    reason: "a pipeline of Tekton that names no account, and has the namespace's default",
    spec: { componentGroup: "market", tenantPipeline: { pipelineRef: { resolver: "git" } } },
    facts: { quotas: [objects], missingAccounts: [], expiring },
  },
])("a controller knows around a plan what is in its namespace: $reason", ({ spec, facts }) => {
  expect(factsAround(objectOf("ReleasePlan", "shop/released", spec), undefined)).toStrictEqual(facts);
});
