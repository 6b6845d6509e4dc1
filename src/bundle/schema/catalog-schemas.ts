import type { JsonObject } from "#base";
import {
  choiceSchema,
  commonDefinition,
  datafileSchema,
  fieldsSchema,
  flagSchema,
  integerSchema,
  listSchema,
  referenceSchema,
  textSchema,
} from "./define-schema.ts";

const namespacePath = "/openshift/namespace-1.yml";
const clusterPath = "/openshift/cluster-1.yml";
const environmentPath = "/app-sre/environment-1.yml";

const parameters: JsonObject = { type: "object", description: "parameters of everything that runs here" };

/** Integrations that must not touch the object. */
const disableSchema: JsonObject = {
  ...fieldsSchema({ integrations: listSchema({ type: "string" }, "names of integrations") }),
  description: "integrations that must not touch it",
};

const tokenEntries = listSchema(
  fieldsSchema(
    {
      name: textSchema("name of the service account"),
      namespace: textSchema("its namespace"),
      active: flagSchema("this is the token to use"),
      delete: flagSchema("this token will be removed"),
      secret: commonDefinition("vaultSecret"),
    },
    ["name", "namespace"],
  ),
  "rotated tokens; the first active one that will not be removed is used",
);

const namespace = datafileSchema(namespacePath, {
  description: "A namespace of a cluster.",
  properties: {
    name: textSchema("its name in the cluster"),
    description: textSchema("what it is for"),
    delete: flagSchema("delete it, with everything in it"),
    cluster: referenceSchema("its cluster", clusterPath),
    app: referenceSchema("the app it belongs to", "/app-sre/app-1.yml"),
    environment: referenceSchema("its environment", environmentPath),
    clusterAdmin: flagSchema("what is deployed here may need the rights of an administrator"),
    managedByExternal: flagSchema("it is created and deleted by another system"),
    managedResourceTypes: listSchema({ type: "string" }, "kinds that are managed here"),
    managedResourceTypeOverrides: listSchema(
      fieldsSchema({ resource: textSchema("a kind"), override: textSchema("its full name, as kind.version.group") }, [
        "resource",
        "override",
      ]),
      "the full name of a kind, if several kinds have the same name",
    ),
    managedResourceNames: listSchema(
      fieldsSchema({ resource: textSchema("a kind"), resourceNames: listSchema({ type: "string" }, "names") }, [
        "resource",
        "resourceNames",
      ]),
      "of a managed kind, only objects of these names are managed",
    ),
  },
  required: ["name", "cluster", "environment"],
});

const leanNamespace = datafileSchema("/openshift/lean-namespace-1.yml", {
  description: "A namespace that contains its cluster and environment, without further files.",
  properties: {
    name: textSchema("its name in the cluster"),
    description: textSchema("what it is for"),
    delete: flagSchema("delete it, with everything in it"),
    cluster: fieldsSchema(
      {
        name: textSchema("name of the cluster"),
        serverUrl: textSchema("address of its API server"),
        automationToken: commonDefinition("vaultSecret"),
      },
      ["name", "serverUrl", "automationToken"],
    ),
    environment: fieldsSchema({ name: textSchema("name of the environment"), parameters }, ["name"]),
  },
  required: ["name", "cluster", "environment"],
});

const cluster = datafileSchema(clusterPath, {
  description: "A Kubernetes or OpenShift cluster.",
  properties: {
    name: textSchema("its name"),
    description: textSchema("what it is for"),
    serverUrl: textSchema("address of its API server"),
    consoleUrl: textSchema("address of its console"),
    prometheusUrl: textSchema("address of its Prometheus"),
    alertmanagerUrl: textSchema("address of its Alertmanager"),
    grafanaUrl: textSchema("address of its dashboards"),
    kibanaUrl: textSchema("address of its logs"),
    elbFQDN: textSchema("name of its load balancer"),
    insecureSkipTLSVerify: flagSchema("do not check its certificate"),
    internal: flagSchema("only reachable from inside"),
    automationToken: commonDefinition("vaultSecret"),
    automationTokens: tokenEntries,
    clusterAdmin: flagSchema("there is a token with the rights of an administrator"),
    clusterAdminAutomationToken: commonDefinition("vaultSecret"),
    clusterAdminAutomationTokens: tokenEntries,
    ocm: referenceSchema("the organization it belongs to", "/openshift/openshift-cluster-manager-1.yml"),
    managedGroups: listSchema({ type: "string" }, "groups of users that are managed"),
    disable: disableSchema,
  },
  required: ["name", "serverUrl"],
});

const environment = datafileSchema(environmentPath, {
  description: "An environment: namespaces that belong together, and the parameters they share.",
  properties: {
    name: textSchema("its name"),
    description: textSchema("what it is for"),
    product: referenceSchema("the product it belongs to", "/app-sre/product-1.yml"),
    parameters,
    servicePhase: choiceSchema("its service phase", "dev", "stage", "prod"),
    dependsOn: referenceSchema("an environment that must exist before", environmentPath),
    costCenter: textSchema("who pays for it"),
  },
  required: ["name"],
});

const people = listSchema(
  fieldsSchema({ name: textSchema("name"), email: textSchema("address") }, ["name", "email"]),
  "contacts",
);

const product = datafileSchema("/app-sre/product-1.yml", {
  description: "A product: apps and environments that belong together.",
  properties: { name: textSchema("its name"), description: textSchema("what it is"), productOwners: people },
  required: ["name"],
});

const app = datafileSchema("/app-sre/app-1.yml", {
  description: "An app: something that is developed and run.",
  properties: {
    name: textSchema("its name"),
    description: textSchema("what it is"),
    product: referenceSchema("the product it belongs to", "/app-sre/product-1.yml"),
    parentApp: referenceSchema("the app it is a part of", "/app-sre/app-1.yml"),
    onboardingStatus: choiceSchema(
      "who runs it",
      "Proposed",
      "InProgress",
      "TransitionPeriod",
      "OnBoarded",
      "OffBoarding",
      "BestEffort",
    ),
    serviceOwners: people,
    serviceNotifications: people,
    serviceDocs: listSchema({ type: "string" }, "addresses of documents"),
    sopsUrl: textSchema("address of its runbooks"),
    architectureDocument: textSchema("how it works"),
    grafanaUrls: listSchema(
      fieldsSchema({ title: textSchema("title"), url: textSchema("address") }, ["title", "url"]),
      "its dashboards",
    ),
    appCode: textSchema("its code in the inventory of the company"),
    costCenter: textSchema("who pays for it"),
  },
  required: ["name"],
});

const awsAccount = datafileSchema("/aws/account-1.yml", {
  description: "An account at AWS.",
  properties: {
    name: textSchema("its name"),
    description: textSchema("what it is for"),
    uid: textSchema("its number, as text"),
    consoleUrl: textSchema("address of its console"),
    resourcesDefaultRegion: textSchema("the default region"),
    supportedDeploymentRegions: listSchema({ type: "string" }, "other regions that may be used"),
    providerVersion: textSchema("version of Terraform's provider"),
    accountOwners: people,
    automationToken: commonDefinition("vaultSecret"),
    premiumSupport: flagSchema("there is a support contract"),
    partition: choiceSchema("which part of AWS", "aws", "aws-us-gov"),
    sso: flagSchema("people log in with single sign-on"),
    disable: disableSchema,
  },
  required: ["name"],
});

const ocmOrganization = datafileSchema("/openshift/openshift-cluster-manager-1.yml", {
  description: "An organization at OpenShift Cluster Manager.",
  properties: {
    name: textSchema("its name"),
    description: textSchema("what it is for"),
    orgId: textSchema("its id"),
    externalOrgId: textSchema("its id outside of OCM"),
    accessTokenClientId: textSchema("id of the client that requests tokens"),
    accessTokenUrl: textSchema("address that issues tokens"),
    accessTokenClientSecret: commonDefinition("vaultSecret"),
    disable: disableSchema,
  },
  required: ["name", "orgId"],
});

const settings = datafileSchema("/app-interface/app-interface-settings-1.yml", {
  description: "Settings of all integrations together. There is at most one such file.",
  properties: {
    name: textSchema("a name for this installation"),
    description: textSchema("what it is for"),
    repoUrl: textSchema("the repository of the data"),
    vault: flagSchema("secrets are in Vault, not in a file"),
    kubeBinary: choiceSchema("the client program for clusters", "oc", "kubectl"),
    hashLength: integerSchema("digits of a short commit", 7),
    mergeRequestGateway: choiceSchema("how merge requests are made", "gitlab", "sqs"),
  },
  required: ["name"],
});

/** Schemas of namespaces, clusters, environments, products, apps, accounts and settings. */
export const catalogSchemas = [
  namespace,
  leanNamespace,
  cluster,
  environment,
  product,
  app,
  awsAccount,
  ocmOrganization,
  settings,
];
