import { InputError } from "#base";
import { type Exact, type ExactMap, isExactList, isExactMap, mapAt } from "./exact.ts";

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
/** Kubernetes allows nearly everything in the names of these. */
const freelyNamed = new Set(["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"]);
/** Kinds that make objects with longer names of their own: Jobs get 11 characters more, revisions of StatefulSets too. */
const shorterNames: ReadonlyMap<string, number> = new Map([
  ["CronJob", 52],
  ["StatefulSet", 52],
]);

/** Where the pod specs of workloads are. */
const podSpecs: readonly (readonly string[])[] = [
  ["spec", "template", "spec"],
  ["spec", "jobTemplate", "spec", "template", "spec"],
];

export interface NamedBody {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** Refuses what the API server would refuse, before anything is written; `details` says where the object comes from. */
export function checkBody(body: Exact | undefined, details: string | undefined): NamedBody {
  if (!isExactMap(body)) throw refusal("is not an object", undefined, details);
  const { apiVersion, kind } = body;
  const name = nameOf(body);
  const fail = (what: string, field: string, next: string) => {
    const described = `${typeof kind === "string" && kind ? kind : "an object without a kind"} ${name || "without a name"}`;
    return refusal(what, `${described}: ${field}`, details, next);
  };
  if (typeof kind !== "string" || kind === "") throw fail("is missing", "kind", "set it");
  if (typeof apiVersion !== "string" || apiVersion === "") throw fail("is missing", "apiVersion", "set it");
  if (name === "") throw fail("is missing", "metadata.name", "name the object");
  checkName(kind, name, fail);
  for (const path of podSpecs) checkContainers(path.reduce<Exact>(mapAt, body), path, fail);
  return { apiVersion, kind, name };
}

type Fail = (what: string, field: string, next: string) => InputError;

function checkName(kind: string, name: string, fail: Fail): void {
  if (freelyNamed.has(kind)) return;
  if (!subdomain.test(name)) {
    throw fail(
      `${JSON.stringify(name)} is not a valid object name`,
      "metadata.name",
      "use lower-case letters, digits, - and ., with a letter or digit at both ends of each part",
    );
  }
  const longest = shorterNames.get(kind) ?? 253;
  if (name.length > longest) {
    throw fail(
      `has ${name.length} characters; a ${kind} may have at most ${longest}`,
      "metadata.name",
      "choose a shorter name",
    );
  }
}

function checkContainers(podSpec: Exact, path: readonly string[], fail: Fail): void {
  for (const field of ["initContainers", "containers"]) {
    const containers = isExactMap(podSpec) ? podSpec[field] : undefined;
    if (containers === undefined || containers === null) continue;
    if (!isExactList(containers)) throw fail("is not a list", [...path, field].join("."), "write a list of containers");
    for (const [index, container] of containers.entries()) {
      const name = isExactMap(container) ? container["name"] : undefined;
      if (typeof name === "string" && label.test(name) && name.length <= 63) continue;
      throw fail(
        name === undefined ? "is missing" : `${JSON.stringify(name)} is not a valid container name`,
        `${path.join(".")}.${field}[${index}].name`,
        "use at most 63 lower-case letters, digits and -, with a letter or digit at both ends",
      );
    }
  }
}

/** A PipelineRun may leave its name to the server; it is then known by what the server begins it with. */
function nameOf(body: ExactMap): string {
  const { name, generateName } = mapAt(body, "metadata");
  if (typeof name === "string") return name;
  return body["kind"] === "PipelineRun" && typeof generateName === "string" ? generateName.slice(0, -1) : "";
}

function refusal(
  what: string,
  where: string | undefined,
  details: string | undefined,
  next = "write an object",
): InputError {
  return new InputError(what, { where: [details, where].filter(Boolean).join(": ") || "an object", next });
}
