import type { JsonObject } from "#base";
import { choice, common, crossref, datafileSchema, fields, flag, listOf, text } from "./define-schema.ts";

const namespacePath = "/openshift/namespace-1.yml";
const clusterPath = "/openshift/cluster-1.yml";
const environmentPath = "/app-sre/environment-1.yml";

const parameters: JsonObject = { type: "object", description: "parameters of everything that runs here" };

/** Integrations that leave this alone. */
export const disable: JsonObject = {
  ...fields({ integrations: listOf({ type: "string" }, "names of integrations") }),
  description: "integrations that leave it alone",
};

const tokenEntries = listOf(
  fields(
    {
      name: text("name of the service account"),
      namespace: text("its namespace"),
      active: flag("this is the token to use"),
      delete: flag("this token is to go"),
      secret: common("vaultSecret"),
    },
    ["name", "namespace"],
  ),
  "tokens that take turns; the first active one that is not to go is used",
);

const namespace = datafileSchema(namespacePath, {
  description: "A namespace of a cluster.",
  properties: {
    name: text("its name in the cluster"),
    description: text("what it is for"),
    delete: flag("it is to go, with everything in it"),
    cluster: crossref("its cluster", clusterPath),
    app: crossref("the app it belongs to", "/app-sre/app-1.yml"),
    environment: crossref("its environment", environmentPath),
    clusterAdmin: flag("what is deployed here may need the rights of an administrator"),
    managedByExternal: flag("somebody else creates and deletes it"),
    managedResourceTypes: listOf({ type: "string" }, "kinds that are managed here"),
    managedResourceTypeOverrides: listOf(
      fields({ resource: text("a kind"), override: text("its full name, as kind.version.group") }, [
        "resource",
        "override",
      ]),
      "which kind is meant where several have the name",
    ),
    managedResourceNames: listOf(
      fields({ resource: text("a kind"), resourceNames: listOf({ type: "string" }, "names") }, [
        "resource",
        "resourceNames",
      ]),
      "of a managed kind, only objects of these names are managed",
    ),
  },
  required: ["name", "cluster", "environment"],
});

const leanNamespace = datafileSchema("/openshift/lean-namespace-1.yml", {
  description: "A namespace that says itself what else its cluster and environment would: no further files are needed.",
  properties: {
    name: text("its name in the cluster"),
    description: text("what it is for"),
    cluster: fields(
      {
        name: text("name of the cluster"),
        serverUrl: text("address of its API server"),
        automationToken: common("vaultSecret"),
      },
      ["name", "serverUrl", "automationToken"],
    ),
    environment: fields({ name: text("name of the environment"), parameters }, ["name"]),
  },
  required: ["name", "cluster", "environment"],
});

const cluster = datafileSchema(clusterPath, {
  description: "A Kubernetes or OpenShift cluster.",
  properties: {
    name: text("its name"),
    description: text("what it is for"),
    serverUrl: text("address of its API server"),
    consoleUrl: text("address of its console"),
    prometheusUrl: text("address of its Prometheus"),
    alertmanagerUrl: text("address of its Alertmanager"),
    grafanaUrl: text("address of its dashboards"),
    kibanaUrl: text("address of its logs"),
    elbFQDN: text("name of its load balancer"),
    insecureSkipTLSVerify: flag("do not check its certificate"),
    internal: flag("only reachable from inside"),
    automationToken: common("vaultSecret"),
    automationTokens: tokenEntries,
    clusterAdmin: flag("there is a token with the rights of an administrator"),
    clusterAdminAutomationToken: common("vaultSecret"),
    clusterAdminAutomationTokens: tokenEntries,
    ocm: crossref("the organization it belongs to", "/openshift/openshift-cluster-manager-1.yml"),
    managedGroups: listOf({ type: "string" }, "groups of users that are managed"),
    disable,
  },
  required: ["name", "serverUrl"],
});

const environment = datafileSchema(environmentPath, {
  description: "An environment: namespaces that belong together, and the parameters they share.",
  properties: {
    name: text("its name"),
    description: text("what it is for"),
    product: crossref("the product it belongs to", "/app-sre/product-1.yml"),
    parameters,
    servicePhase: choice("how serious it is", "dev", "stage", "prod"),
    dependsOn: crossref("an environment that must be there before", environmentPath),
    costCenter: text("who pays for it"),
  },
  required: ["name"],
});

export const placeSchemas = [namespace, leanNamespace, cluster, environment];
