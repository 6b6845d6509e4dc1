import { randomInt } from "node:crypto";
import { InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { generateValue, type RandomBelow } from "./generate-value.ts";
import { refersToParameter, substitute, substituteText } from "./substitute.ts";
import { readParameters, type TemplateParameter, textField } from "./template-parameters.ts";

export interface ProcessOptions {
  /** Values by parameter name. Undeclared names are ignored; a value that is not a string becomes its JSON text. */
  readonly parameters?: Readonly<Record<string, JsonValue>>;
  /** The file or chart, for messages. */
  readonly where?: string;
  readonly random?: RandomBelow;
}

export interface ProcessedTemplate {
  readonly objects: JsonObject[];
  /** The value of each parameter, in the order of declaration. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly message: string | undefined;
}

/** Whether an object is an OpenShift `Template`, which `processTemplate` turns into the objects it holds. */
export function isTemplate(object: JsonObject): boolean {
  const { apiVersion, kind } = object;
  return kind === "Template" && (apiVersion === "v1" || apiVersion === "template.openshift.io/v1");
}

/** Does what `oc process` does: resolves the parameters and substitutes them in the template's objects. */
export function processTemplate(template: JsonObject, options: ProcessOptions = {}): ProcessedTemplate {
  const where = [options.where, nameOf(template)].filter(Boolean).join(": ");
  const values = resolveValues(readParameters(template, where), options, where);
  const objects = template["objects"] ?? [];
  if (!Array.isArray(objects)) throw new InputError("expected objects to be a list", { where });
  const labels = readLabels(template, values, where);
  const message = textField(template, "message", where);
  return {
    objects: objects.map((object: JsonValue, index) =>
      processObject(object, values, labels, `${where} objects[${index}]`),
    ),
    parameters: values,
    message: message === "" ? undefined : substituteText(message, values),
  };
}

function resolveValues(
  declared: readonly TemplateParameter[],
  options: ProcessOptions,
  where: string,
): Map<string, string> {
  const given = options.parameters ?? {};
  const random = options.random ?? ((bound: number) => randomInt(bound));
  const values = new Map<string, string>();
  const missing: string[] = [];
  for (const [index, parameter] of declared.entries()) {
    const value = Object.hasOwn(given, parameter.name)
      ? jsonText(given[parameter.name] ?? null)
      : parameter.value || generated(parameter, random, `${where} parameters[${index}]`);
    if (value === "" && parameter.isRequired) missing.push(parameter.name);
    values.set(parameter.name, value);
  }
  if (missing.length === 0) return values;
  throw new InputError(`required parameters have no value: ${missing.join(", ")}`, {
    where,
    next: `give each a value: ${missing.map((name) => `--param ${name}=…`).join(" ")}`,
  });
}

function generated({ generate, from, name }: TemplateParameter, random: RandomBelow, where: string): string {
  if (generate === "") return "";
  if (generate === "expression") return generateValue(from, random, `${where}.from`);
  throw new InputError(`${JSON.stringify(generate)} is not a valid generator for the parameter ${name}`, {
    where: `${where}.generate`,
    next: "write expression, the only generator",
  });
}

function processObject(
  object: JsonValue,
  values: ReadonlyMap<string, string>,
  labels: Readonly<Record<string, string>> | undefined,
  where: string,
): JsonObject {
  if (!isJsonObject(object)) throw new InputError("expected an object", { where });
  if (!isText(object["kind"])) throw new InputError("kind is missing", { where: `${where}.kind` });
  // Objects inside a list are not processed, as in OpenShift.
  const isList = (object["items"] ?? null) !== null;
  if (isList && labels) {
    throw new InputError("the template has labels, which cannot be set on a list", {
      where,
      next: "write its items as objects of the template",
    });
  }
  const filled = substituteFields(isList ? object : withoutLiteralNamespace(object), values, where);
  return withLabels(withApiGroup(filled), labels);
}

function substituteFields(object: JsonObject, values: ReadonlyMap<string, string>, where: string): JsonObject {
  const filled = substitute(object, values, where);
  return isJsonObject(filled) ? filled : object;
}

/** Drops a literal namespace, because objects go to the namespace that the template is processed for. */
function withoutLiteralNamespace(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata) || !Object.hasOwn(metadata, "namespace")) return object;
  const { namespace, ...rest } = metadata;
  if (typeof namespace === "string" && refersToParameter(namespace)) return object;
  return { ...object, metadata: isText(namespace) ? rest : { ...metadata, namespace: "" } };
}

function withApiGroup(object: JsonObject): JsonObject {
  const kind = isText(object["kind"]) ? object["kind"] : "";
  const apiVersion = isText(object["apiVersion"]) ? object["apiVersion"] : "";
  return { ...object, apiVersion: groupedApiVersion(apiVersion, kind), kind };
}

/** Labels that are not all strings count as none. */
function withLabels(object: JsonObject, labels: Readonly<Record<string, string>> | undefined): JsonObject {
  const { metadata = {} } = object;
  if (!labels || !isJsonObject(metadata)) return object;
  const own = isJsonObject(metadata["labels"]) ? metadata["labels"] : {};
  const kept = Object.values(own).every((value) => typeof value === "string") ? own : {};
  return { ...object, metadata: { ...metadata, labels: { ...kept, ...labels } } };
}

function readLabels(
  template: JsonObject,
  values: ReadonlyMap<string, string>,
  where: string,
): Record<string, string> | undefined {
  const labels = template["labels"] ?? undefined;
  if (labels === undefined) return undefined;
  if (!isJsonObject(labels)) throw new InputError("expected labels to be a map", { where });
  return Object.fromEntries(
    Object.keys(labels).map((key) => [
      substituteText(key, values),
      substituteText(textField(labels, key, `${where} labels`), values),
    ]),
  );
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}

function jsonText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function nameOf(template: JsonObject): string {
  const { metadata } = template;
  const name = isJsonObject(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" ? `Template ${name}` : "Template";
}

/** The kinds that OpenShift served as `v1` before its API had groups, and where they are now. */
const kindsByGroup: Readonly<Record<string, string>> = {
  "apps.openshift.io": "DeploymentConfig DeploymentConfigList DeploymentConfigRollback DeploymentLog DeploymentRequest",
  "authorization.openshift.io":
    "ClusterRole ClusterRoleList ClusterRoleBinding ClusterRoleBindingList LocalResourceAccessReview LocalSubjectAccessReview " +
    "ResourceAccessReview Role RoleList RoleBinding RoleBindingList RoleBindingRestriction RoleBindingRestrictionList " +
    "SelfSubjectRulesReview SubjectAccessReview SubjectRulesReview",
  "build.openshift.io": "BinaryBuildRequestOptions Build BuildList BuildConfig BuildConfigList BuildLog BuildRequest",
  "image.openshift.io":
    "Image ImageList ImageSignature ImageStream ImageStreamList ImageStreamImage ImageStreamImport ImageStreamMapping " +
    "ImageStreamTag ImageStreamTagList",
  "network.openshift.io":
    "ClusterNetwork ClusterNetworkList EgressNetworkPolicy EgressNetworkPolicyList HostSubnet HostSubnetList " +
    "NetNamespace NetNamespaceList",
  "oauth.openshift.io":
    "OAuthAccessToken OAuthAccessTokenList OAuthAuthorizeToken OAuthAuthorizeTokenList OAuthClient OAuthClientList " +
    "OAuthClientAuthorization OAuthClientAuthorizationList",
  "project.openshift.io": "Project ProjectList ProjectRequest",
  "quota.openshift.io":
    "AppliedClusterResourceQuota AppliedClusterResourceQuotaList ClusterResourceQuota ClusterResourceQuotaList",
  "route.openshift.io": "Route RouteList",
  "security.openshift.io":
    "PodSecurityPolicyReview PodSecurityPolicySelfSubjectReview PodSecurityPolicySubjectReview " +
    "SecurityContextConstraints SecurityContextConstraintsList",
  "template.openshift.io": "Template TemplateList",
  "user.openshift.io": "Group GroupList Identity IdentityList User UserList UserIdentityMapping",
};

const groups: ReadonlyMap<string, string> = new Map(
  Object.entries(kindsByGroup).flatMap(([group, kinds]) => kinds.split(" ").map((kind) => [kind, group] as const)),
);

/** The API version of today for a kind that was written for a group-less `v1`. */
function groupedApiVersion(apiVersion: string, kind: string): string {
  const group = groups.get(kind);
  return group === undefined || apiVersion.includes("/") ? apiVersion : `${group}/${apiVersion}`;
}
