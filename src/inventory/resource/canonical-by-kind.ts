import { compareText } from "#base";
import { canonicalText } from "./canonical-text.ts";
import { type Exact, type ExactObject, isExactList, isExactObject, mapAt, without } from "./exact.ts";
import { foldStringData } from "./fold-string-data.ts";

/** What the hash leaves out of an object because of its kind. */
export function canonicalByKind(body: ExactObject): ExactObject {
  const rule = typeof body["kind"] === "string" ? ruleOfKind.get(body["kind"]) : undefined;
  return rule ? rule(body) : body;
}

type Rule = (body: ExactObject) => ExactObject;

const ruleOfKind: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["ManagedCluster", withoutControllerLabels],
  ["ConfigMap", withoutOpaqueType],
  ["Secret", (body) => foldStringData(withoutOpaqueType(body))],
  ["Deployment", (body) => withoutAnnotations(body, ["deployment.kubernetes.io/revision"])],
  ["OperatorGroup", (body) => withoutAnnotations(body, ["olm.providedAPIs"])],
  ["Route", canonicalRoute],
  ["ServiceAccount", canonicalServiceAccount],
  ["Role", canonicalRole],
  ["RoleBinding", canonicalRoleBinding],
  ["ClusterRoleBinding", canonicalClusterRoleBinding],
  ["Service", canonicalService],
]);

const controllerLabels = new Set(["clusterID", "managed-by", "openshiftVersion"]);
const featureLabel = /feature.open-cluster-management.io\/.*/;

function withoutControllerLabels(body: ExactObject): ExactObject {
  const metadata = mapAt(body, "metadata");
  if (!isExactObject(metadata["labels"])) return body;
  const labels = without(metadata["labels"], (key) => controllerLabels.has(key) || featureLabel.test(key));
  return { ...body, metadata: { ...metadata, labels } };
}

function withoutOpaqueType(body: ExactObject): ExactObject {
  return without(body, (key, value) => key === "type" && value === "Opaque");
}

function withoutAnnotations(body: ExactObject, keys: readonly string[]): ExactObject {
  const metadata = mapAt(body, "metadata");
  const annotations = without(mapAt(metadata, "annotations"), (key) => keys.includes(key));
  return annotations === metadata["annotations"] ? body : { ...body, metadata: { ...metadata, annotations } };
}

/** A Route whose certificate a controller fetches: it writes key, certificate and its progress into the object. */
const acme = "kubernetes.io/tls-acme";

function canonicalRoute(body: ExactObject): ExactObject {
  const hasAcme = Object.hasOwn(mapAt(mapAt(body, "metadata"), "annotations"), acme);
  const plain = !isExactObject(body["spec"])
    ? body
    : {
        ...body,
        spec: without(
          body["spec"],
          (key, value) => (key === "wildcardPolicy" && value === "None") || (key === "subdomain" && !value),
        ),
      };
  if (!hasAcme) return plain;
  const bare = withoutAnnotations(plain, [
    `${acme}-awaiting-authorization-owner`,
    `${acme}-awaiting-authorization-at-url`,
  ]);
  const spec = mapAt(bare, "spec");
  if (!isExactObject(spec["tls"])) return bare;
  const tls = without(spec["tls"], (key) => key === "key" || key === "certificate");
  return { ...bare, spec: { ...spec, tls } };
}

function canonicalServiceAccount(body: ExactObject): ExactObject {
  const { imagePullSecrets, secrets: _, ...rest } = body;
  if (!isExactList(imagePullSecrets)) return imagePullSecrets === undefined ? rest : { ...rest, imagePullSecrets };
  const own = imagePullSecrets.filter((secret) => !isDockerConfig(secret));
  return own.length === 0 ? rest : { ...rest, imagePullSecrets: own };
}

function canonicalRole(body: ExactObject): ExactObject {
  if (!isExactList(body["rules"])) return body;
  const rules = body["rules"].map((rule) => {
    if (!isExactObject(rule)) return rule;
    const bare = without(rule, (key, value) => key === "attributeRestrictions" && !value);
    const sorted = ["resources", "verbs"].filter((key) => isExactList(bare[key]));
    return { ...bare, ...Object.fromEntries(sorted.map((key) => [key, sortedTexts(bare[key])])) };
  });
  return { ...body, rules };
}

function canonicalRoleBinding(body: ExactObject): ExactObject {
  const bare = withoutBindingNoise(body, ["namespace", "kind"]);
  if (!isExactList(bare["subjects"])) return bare;
  const subjects = bare["subjects"].map((subject) => {
    if (!isExactObject(subject)) return subject;
    return without(subject, (key, value) => key === "namespace" || (key === "apiGroup" && isImplied(value, body)));
  });
  return { ...bare, subjects };
}

function canonicalClusterRoleBinding(body: ExactObject): ExactObject {
  return withoutBindingNoise(body, ["kind"]);
}

function withoutBindingNoise(body: ExactObject, roleRefKeys: readonly string[]): ExactObject {
  const { groupNames: _groups, userNames: _users, ...rest } = body;
  if (!isExactObject(rest["roleRef"])) return rest;
  const roleRef = without(
    rest["roleRef"],
    (key, value) => roleRefKeys.includes(key) || (key === "apiGroup" && value !== "" && isImplied(value, body)),
  );
  return { ...rest, roleRef };
}

/** The API group of the binding itself, or none. */
function isImplied(apiGroup: Exact, { apiVersion }: ExactObject): boolean {
  return (
    apiGroup === "" || (typeof apiGroup === "string" && typeof apiVersion === "string" && apiVersion.includes(apiGroup))
  );
}

function canonicalService(body: ExactObject): ExactObject {
  if (!isExactObject(body["spec"])) return body;
  const { type } = body["spec"];
  const spec = without(
    body["spec"],
    (key, value) => (key === "sessionAffinity" && value === "None") || (key === "clusterIP" && type === "ClusterIP"),
  );
  return { ...body, spec };
}

function sortedTexts(list: Exact | undefined): Exact[] {
  return isExactList(list) ? list.toSorted((one, other) => compareText(canonicalText(one), canonicalText(other))) : [];
}

function isDockerConfig(secret: Exact): boolean {
  const name = isExactObject(secret) ? secret["name"] : undefined;
  return typeof name === "string" && name.includes("-dockercfg-");
}
