import type { TypeDescription } from "../type-description.ts";
import { commonFields, referrersField, defineType, uniqueNameField } from "./define-type.ts";

const namespaceSchema = "/openshift/namespace-1.yml";
const clusterSchema = "/openshift/cluster-1.yml";
const environmentSchema = "/app-sre/environment-1.yml";
const appSchema = "/app-sre/app-1.yml";

const targets: readonly TypeDescription[] = [
  defineType(
    "Namespace_v1",
    [
      ...commonFields,
      "name: string! searchable",
      "delete: boolean",
      "cluster: Cluster_v1!",
      "app: App_v1",
      "environment: Environment_v1!",
      "clusterAdmin: boolean",
      "managedByExternal: boolean",
      "managedResourceTypes: [string]",
      "managedResourceTypeOverrides: [NamespaceManagedResourceTypeOverrides_v1]",
      "managedResourceNames: [ManagedResourceNames_v1]",
    ],
    { datafile: namespaceSchema },
  ),
  defineType("NamespaceManagedResourceTypeOverrides_v1", ["resource: string!", "override: string!"]),
  defineType("ManagedResourceNames_v1", ["resource: string!", "resourceNames: [string]!"]),
  defineType(
    "Cluster_v1",
    [
      ...commonFields,
      uniqueNameField,
      "serverUrl: string!",
      "consoleUrl",
      "prometheusUrl",
      "alertmanagerUrl",
      "grafanaUrl",
      "kibanaUrl",
      "elbFQDN",
      "insecureSkipTLSVerify: boolean",
      "internal: boolean",
      "automationToken: VaultSecret_v1",
      "automationTokens: [AutomationTokenEntry_v1]",
      "clusterAdmin: boolean",
      "clusterAdminAutomationToken: VaultSecret_v1",
      "clusterAdminAutomationTokens: [AutomationTokenEntry_v1]",
      "ocm: OpenShiftClusterManager_v1",
      "managedGroups: [string]",
      "disable: DisableClusterAutomations_v1",
      referrersField("namespaces", "Namespace_v1", namespaceSchema, "cluster"),
    ],
    { datafile: clusterSchema },
  ),
  defineType("AutomationTokenEntry_v1", [
    "name: string!",
    "namespace: string!",
    "active: boolean",
    "delete: boolean",
    "secret: VaultSecret_v1",
  ]),
  defineType("DisableClusterAutomations_v1", ["integrations: [string]"]),
  defineType(
    "Environment_v1",
    [
      ...commonFields,
      uniqueNameField,
      "product: Product_v1",
      "parameters: json",
      "servicePhase",
      "dependsOn: Environment_v1",
      "costCenter",
      referrersField("namespaces", "Namespace_v1", namespaceSchema, "environment"),
    ],
    { datafile: environmentSchema },
  ),
];

const owners: readonly TypeDescription[] = [
  defineType(
    "Product_v1",
    [
      ...commonFields,
      uniqueNameField,
      "productOwners: [Owner_v1]",
      referrersField("environments", "Environment_v1", environmentSchema, "product"),
      referrersField("apps", "App_v1", appSchema, "product"),
    ],
    { datafile: "/app-sre/product-1.yml" },
  ),
  defineType(
    "App_v1",
    [
      ...commonFields,
      uniqueNameField,
      "product: Product_v1",
      "parentApp: App_v1",
      "onboardingStatus",
      "serviceOwners: [Owner_v1]",
      "serviceNotifications: [Owner_v1]",
      "serviceDocs: [string]",
      "sopsUrl",
      "architectureDocument",
      "grafanaUrls: [GrafanaDashboardUrls_v1]",
      "appCode",
      "costCenter",
      referrersField("namespaces", "Namespace_v1", namespaceSchema, "app"),
      referrersField("childrenApps", "App_v1", appSchema, "parentApp"),
    ],
    { datafile: appSchema },
  ),
  defineType("GrafanaDashboardUrls_v1", ["title: string!", "url: string!"]),
  defineType("Owner_v1", ["name: string!", "email: string!"]),
  defineType(
    "AWSAccount_v1",
    [
      ...commonFields,
      uniqueNameField,
      "uid: string searchable",
      "consoleUrl",
      "resourcesDefaultRegion",
      "supportedDeploymentRegions: [string]",
      "providerVersion",
      "accountOwners: [Owner_v1]",
      "automationToken: VaultSecret_v1",
      "premiumSupport: boolean",
      "partition",
      "sso: boolean",
      "disable: DisableClusterAutomations_v1",
    ],
    { datafile: "/aws/account-1.yml" },
  ),
  defineType(
    "OpenShiftClusterManager_v1",
    [
      ...commonFields,
      uniqueNameField,
      "orgId: string! unique",
      "externalOrgId",
      "accessTokenClientId",
      "accessTokenUrl",
      "accessTokenClientSecret: VaultSecret_v1",
      "disable: DisableClusterAutomations_v1",
      referrersField("clusters", "Cluster_v1", clusterSchema, "ocm"),
    ],
    { datafile: "/openshift/openshift-cluster-manager-1.yml" },
  ),
  defineType(
    "AppInterfaceSettings_v1",
    [
      ...commonFields,
      "name: string!",
      "repoUrl",
      "vault: boolean",
      "kubeBinary",
      "hashLength: int",
      "mergeRequestGateway",
    ],
    { datafile: "/app-interface/app-interface-settings-1.yml" },
  ),
  defineType("VaultSecret_v1", ["path: string!", "field: string!", "format", "version: int"]),
];

/** Types of namespaces, clusters, environments, products, apps, accounts and settings. */
export const catalogTypes: readonly TypeDescription[] = [...targets, ...owners];
