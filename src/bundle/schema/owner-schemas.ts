import { choice, common, crossref, datafileSchema, fields, flag, integer, listOf, text } from "./define-schema.ts";
import { disable } from "./place-schemas.ts";

const people = listOf(fields({ name: text("name"), email: text("address") }, ["name", "email"]), "who to ask");

const product = datafileSchema("/app-sre/product-1.yml", {
  description: "A product: apps and environments that belong together.",
  properties: { name: text("its name"), description: text("what it is"), productOwners: people },
  required: ["name"],
});

const app = datafileSchema("/app-sre/app-1.yml", {
  description: "An app: something that is developed and run.",
  properties: {
    name: text("its name"),
    description: text("what it is"),
    product: crossref("the product it belongs to", "/app-sre/product-1.yml"),
    parentApp: crossref("the app it is a part of", "/app-sre/app-1.yml"),
    onboardingStatus: choice(
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
    serviceDocs: listOf({ type: "string" }, "addresses of documents"),
    sopsUrl: text("what to do when something happens"),
    architectureDocument: text("how it works"),
    grafanaUrls: listOf(fields({ title: text("title"), url: text("address") }, ["title", "url"]), "its dashboards"),
    appCode: text("its code in the inventory of the company"),
    costCenter: text("who pays for it"),
  },
  required: ["name"],
});

const awsAccount = datafileSchema("/aws/account-1.yml", {
  description: "An account at AWS.",
  properties: {
    name: text("its name"),
    description: text("what it is for"),
    uid: text("its number, as text"),
    consoleUrl: text("address of its console"),
    resourcesDefaultRegion: text("the region when none is named"),
    supportedDeploymentRegions: listOf({ type: "string" }, "other regions that may be used"),
    providerVersion: text("version of Terraform's provider"),
    accountOwners: people,
    automationToken: common("vaultSecret"),
    premiumSupport: flag("there is a support contract"),
    partition: choice("which part of AWS", "aws", "aws-us-gov"),
    sso: flag("people log in by single sign-on"),
    disable,
  },
  required: ["name"],
});

const ocmOrganization = datafileSchema("/openshift/openshift-cluster-manager-1.yml", {
  description: "An organization at OpenShift Cluster Manager.",
  properties: {
    name: text("its name"),
    description: text("what it is for"),
    orgId: text("its id"),
    externalOrgId: text("its id outside of OCM"),
    accessTokenClientId: text("who asks for a token"),
    accessTokenUrl: text("where tokens are given"),
    accessTokenClientSecret: common("vaultSecret"),
    disable,
  },
  required: ["name", "orgId"],
});

const settings = datafileSchema("/app-interface/app-interface-settings-1.yml", {
  description: "Settings of all integrations together. There is at most one such file.",
  properties: {
    name: text("a name for this installation"),
    description: text("what it is for"),
    repoUrl: text("the repository of the data"),
    vault: flag("secrets are in Vault, not in a file"),
    kubeBinary: choice("which program speaks to clusters", "oc", "kubectl"),
    hashLength: integer("digits of a short commit", 7),
    mergeRequestGateway: choice("how merge requests are made", "gitlab", "sqs"),
  },
  required: ["name"],
});

export const ownerSchemas = [product, app, awsAccount, ocmOrganization, settings];
