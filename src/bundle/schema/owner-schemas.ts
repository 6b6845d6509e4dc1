import {
  choiceSchema,
  commonDefinition,
  referenceSchema,
  datafileSchema,
  fieldsSchema,
  flagSchema,
  integerSchema,
  listSchema,
  textSchema,
} from "./define-schema.ts";
import { disableSchema } from "./place-schemas.ts";

const people = listSchema(
  fieldsSchema({ name: textSchema("name"), email: textSchema("address") }, ["name", "email"]),
  "who to ask",
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
    sopsUrl: textSchema("what to do when something happens"),
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
    resourcesDefaultRegion: textSchema("the region when none is named"),
    supportedDeploymentRegions: listSchema({ type: "string" }, "other regions that may be used"),
    providerVersion: textSchema("version of Terraform's provider"),
    accountOwners: people,
    automationToken: commonDefinition("vaultSecret"),
    premiumSupport: flagSchema("there is a support contract"),
    partition: choiceSchema("which part of AWS", "aws", "aws-us-gov"),
    sso: flagSchema("people log in by single sign-on"),
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
    accessTokenClientId: textSchema("who asks for a token"),
    accessTokenUrl: textSchema("where tokens are given"),
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
    kubeBinary: choiceSchema("which program speaks to clusters", "oc", "kubectl"),
    hashLength: integerSchema("digits of a short commit", 7),
    mergeRequestGateway: choiceSchema("how merge requests are made", "gitlab", "sqs"),
  },
  required: ["name"],
});

export const ownerSchemas = [product, app, awsAccount, ocmOrganization, settings];
