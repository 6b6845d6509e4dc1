import { hash } from "node:crypto";
import { compareText } from "#base";
import { canonicalJsonBytes, canonicalJson } from "./canonical-json.ts";
import { type Exact, type ExactMap, isExactList, isExactMap, mapAt, without } from "./exact.ts";
import { annotation, stamps } from "./attribution.ts";

/** The hash that owners record on their objects; equal to what qontract-reconcile computes for the same object. */
export function sha256Of(body: ExactMap): string {
  return hash("sha256", canonicalJsonBytes(canonicalBody(body)));
}

/** What the API server and its controllers write into metadata. */
const serverMetadata = new Set([
  "creationTimestamp",
  "resourceVersion",
  "generation",
  "selfLink",
  "uid",
  "namespace",
  "managedFields",
]);

/**
 * The object as its hash sees it: without what clusters add to it, and without the stamps of owners. Parts that stay as they are
 * are shared with `body`, which is not changed.
 */
function canonicalBody(body: ExactMap): ExactMap {
  const given = mapAt(body, "metadata");
  const metadata = without(given, (key) => serverMetadata.has(key));
  const annotations = without(mapAt(given, "annotations"), (key) => stamps.has(key) || key === annotation.lastApplied);
  return canonicalByKind({ ...without(body, (key) => key === "status"), metadata: { ...metadata, annotations } });
}

/** What the hash leaves out of an object because of its kind. */
function canonicalByKind(body: ExactMap): ExactMap {
  const rule = typeof body["kind"] === "string" ? ruleOfKind.get(body["kind"]) : undefined;
  return rule ? rule(body) : body;
}

type Rule = (body: ExactMap) => ExactMap;

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

function withoutControllerLabels(body: ExactMap): ExactMap {
  const metadata = mapAt(body, "metadata");
  if (!isExactMap(metadata["labels"])) return body;
  const labels = without(metadata["labels"], (key) => controllerLabels.has(key) || featureLabel.test(key));
  return { ...body, metadata: { ...metadata, labels } };
}

function withoutOpaqueType(body: ExactMap): ExactMap {
  return without(body, (key, value) => key === "type" && value === "Opaque");
}

function withoutAnnotations(body: ExactMap, keys: readonly string[]): ExactMap {
  const metadata = mapAt(body, "metadata");
  const annotations = without(mapAt(metadata, "annotations"), (key) => keys.includes(key));
  return annotations === metadata["annotations"] ? body : { ...body, metadata: { ...metadata, annotations } };
}

/** A Route whose certificate a controller fetches: it writes key, certificate and its progress into the object. */
const acme = "kubernetes.io/tls-acme";

function canonicalRoute(body: ExactMap): ExactMap {
  const hasAcme = Object.hasOwn(mapAt(mapAt(body, "metadata"), "annotations"), acme);
  const plain = !isExactMap(body["spec"])
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
  if (!isExactMap(spec["tls"])) return bare;
  const tls = without(spec["tls"], (key) => key === "key" || key === "certificate");
  return { ...bare, spec: { ...spec, tls } };
}

function canonicalServiceAccount(body: ExactMap): ExactMap {
  const { imagePullSecrets, secrets: _, ...rest } = body;
  if (!isExactList(imagePullSecrets)) return imagePullSecrets === undefined ? rest : { ...rest, imagePullSecrets };
  const own = imagePullSecrets.filter((secret) => !isDockerConfig(secret));
  return own.length === 0 ? rest : { ...rest, imagePullSecrets: own };
}

function canonicalRole(body: ExactMap): ExactMap {
  if (!isExactList(body["rules"])) return body;
  const rules = body["rules"].map((rule) => {
    if (!isExactMap(rule)) return rule;
    const bare = without(rule, (key, value) => key === "attributeRestrictions" && !value);
    const sorted = ["resources", "verbs"].filter((key) => isExactList(bare[key]));
    return { ...bare, ...Object.fromEntries(sorted.map((key) => [key, sortedTexts(bare[key])])) };
  });
  return { ...body, rules };
}

function canonicalRoleBinding(body: ExactMap): ExactMap {
  const bare = withoutBindingNoise(body, ["namespace", "kind"]);
  if (!isExactList(bare["subjects"])) return bare;
  const subjects = bare["subjects"].map((subject) => {
    if (!isExactMap(subject)) return subject;
    return without(subject, (key, value) => key === "namespace" || (key === "apiGroup" && isImplied(value, body)));
  });
  return { ...bare, subjects };
}

function canonicalClusterRoleBinding(body: ExactMap): ExactMap {
  return withoutBindingNoise(body, ["kind"]);
}

function withoutBindingNoise(body: ExactMap, roleRefKeys: readonly string[]): ExactMap {
  const { groupNames: _groups, userNames: _users, ...rest } = body;
  if (!isExactMap(rest["roleRef"])) return rest;
  const roleRef = without(
    rest["roleRef"],
    (key, value) => roleRefKeys.includes(key) || (key === "apiGroup" && value !== "" && isImplied(value, body)),
  );
  return { ...rest, roleRef };
}

/** The API group of the binding itself, or none. */
function isImplied(apiGroup: Exact, { apiVersion }: ExactMap): boolean {
  return (
    apiGroup === "" || (typeof apiGroup === "string" && typeof apiVersion === "string" && apiVersion.includes(apiGroup))
  );
}

function canonicalService(body: ExactMap): ExactMap {
  if (!isExactMap(body["spec"])) return body;
  const { type } = body["spec"];
  const spec = without(
    body["spec"],
    (key, value) => (key === "sessionAffinity" && value === "None") || (key === "clusterIP" && type === "ClusterIP"),
  );
  return { ...body, spec };
}

function sortedTexts(list: Exact | undefined): Exact[] {
  return isExactList(list) ? list.toSorted((one, other) => compareText(canonicalJson(one), canonicalJson(other))) : [];
}

function isDockerConfig(secret: Exact): boolean {
  const name = isExactMap(secret) ? secret["name"] : undefined;
  return typeof name === "string" && name.includes("-dockercfg-");
}

/** A Secret as the API server keeps it: `stringData` is encoded into `data`, and wins over what is there. */
export function foldStringData(secret: ExactMap): ExactMap {
  if (!Object.hasOwn(secret, "stringData")) return secret;
  const { stringData: _, ...rest } = secret;
  const folded: { [key: string]: Exact } = { ...mapAt(secret, "data") };
  for (const [key, value] of Object.entries(mapAt(secret, "stringData"))) folded[key] = encode(value);
  return { ...rest, data: folded };
}

function encode(value: Exact): string {
  if (!value) return "";
  return Buffer.from(typeof value === "string" ? value : canonicalJson(value)).toString("base64");
}
