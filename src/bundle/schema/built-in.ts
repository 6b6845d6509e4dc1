import { hash } from "node:crypto";
import type { JsonObject } from "#base";
import type { FieldDescription, TypeDescription } from "../type-description.ts";
import { commonSchemas } from "./common-schemas.ts";
import { defineType } from "./define-type.ts";
import { integrationSchemas } from "./integration-schemas.ts";
import { integrationTypes } from "./integration-types.ts";
import { catalogSchemas } from "./catalog-schemas.ts";
import { catalogTypes } from "./catalog-types.ts";

/** JSON schemas by path, for data without schemas. Paths and names are those of app-interface. */
export const builtInSchemas: ReadonlyMap<string, JsonObject> = new Map([
  ...commonSchemas,
  ...integrationSchemas,
  ...catalogSchemas,
]);

const lists: Readonly<Record<string, string>> = {
  integrations_v1: "Integration_v1",
  namespaces_v1: "Namespace_v1",
  clusters_v1: "Cluster_v1",
  environments_v1: "Environment_v1",
  products_v1: "Product_v1",
  apps_v1: "App_v1",
  awsaccounts_v1: "AWSAccount_v1",
  ocm_instances_v1: "OpenShiftClusterManager_v1",
  app_interface_settings_v1: "AppInterfaceSettings_v1",
};

const objectTypes: readonly TypeDescription[] = [
  ...integrationTypes,
  ...catalogTypes,
  defineType("DatafileObject_v1", ["path: string!", "schema: string!"], {
    isInterface: true,
    interfaceResolve: { strategy: "schema" },
  }),
  defineType("Resource_v1", [
    "path: string!",
    "content: string!",
    "sha256sum: string!",
    "schema",
    "backrefs: [ResourceBackref_v1]",
  ]),
  defineType("ResourceBackref_v1", ["path: string!", "datafileSchema: string!", "jsonpath: string!"]),
];

/** The GraphQL types of that data. */
export const builtInDescription: readonly TypeDescription[] = [
  ...objectTypes,
  defineType("Query", [
    ...Object.entries(lists).map(([name, listed]) => listField(name, listed)),
    { name: "resources_v1", type: "Resource_v1", isList: true, isRequired: true, isResource: true },
  ]),
];

function listField(name: string, listed: string): FieldDescription {
  const datafileSchema = objectTypes.find((one) => one.name === listed)?.datafile;
  return { name, type: listed, isList: true, ...(datafileSchema !== undefined && { datafileSchema }) };
}

/** A hash that changes with the built-in schemas and types. */
export const builtInIdentity = hash("sha256", JSON.stringify([[...builtInSchemas], builtInDescription]));
