import { InputError } from "#base";
import type { KubeObject } from "#kube";
import { annotation, callerOf, markAt } from "./attribution.ts";
import { type Exact, type ExactMap, isExactList, isExactMap, mapAt } from "./exact.ts";
import { sha256Of } from "./object-hash.ts";

export interface ManagedObjectOptions {
  readonly body: ExactMap;
  readonly integration: string;
  readonly integrationVersion: string;
  /** Which of several callers of one integration manages the object. */
  readonly callerName?: string | undefined;
  /** Which of the things that the integration manages the object belongs to. */
  readonly attribution?: string | undefined;
  /** Where the object comes from, for messages: a file and line, a template of a chart. */
  readonly errorDetails?: string | undefined;
  /** Live objects are the API server's business; they are taken as they are. */
  readonly skipValidation?: boolean;
  /** The hash of the body, if it is known. */
  readonly sha256?: string | undefined;
}

/** A desired or live object, with the integration that manages it. */
export class ManagedObject {
  readonly body: ExactMap;
  readonly integration: string;
  readonly integrationVersion: string;
  readonly attribution: string | undefined;
  readonly errorDetails: string | undefined;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly #callerName: string | undefined;
  #sha256: string | undefined;

  /** Throws an InputError that names kind, name and origin if Kubernetes would refuse the object. */
  constructor(options: ManagedObjectOptions) {
    const { body, integration, integrationVersion, callerName, attribution, errorDetails, skipValidation } = options;
    const checked = skipValidation ? namesOf(body) : checkBody(body, errorDetails);
    this.body = body;
    this.integration = integration;
    this.integrationVersion = integrationVersion;
    this.attribution = attribution;
    this.errorDetails = errorDetails;
    this.apiVersion = checked.apiVersion;
    this.kind = checked.kind;
    this.name = checked.name;
    this.#callerName = callerName;
    this.#sha256 = options.sha256;
  }

  /** `Kind.group`, or `Kind` for the kinds of the core. */
  get kindAndGroup(): string {
    const [group, version] = this.apiVersion.split("/");
    return version === undefined ? this.kind : `${this.kind}.${group}`;
  }

  get metadata(): ExactMap {
    return mapAt(this.body, "metadata");
  }

  get caller(): string | undefined {
    return this.#callerName ?? callerOf(this.metadata);
  }

  annotation(key: string): string | undefined {
    return markAt(this.metadata["annotations"], key);
  }

  /** The same resource with another body. */
  withBody(body: ExactMap): ManagedObject {
    return new ManagedObject({
      body,
      integration: this.integration,
      integrationVersion: this.integrationVersion,
      callerName: this.#callerName,
      attribution: this.attribution,
      errorDetails: this.errorDetails,
      skipValidation: true,
    });
  }

  /** The same resource and the same hash, sent with other fields. */
  withFields(body: ExactMap): ManagedObject {
    const other = this.withBody(body);
    other.#sha256 = this.sha256();
    return other;
  }

  /** The hash of its canonical form. */
  sha256(): string {
    this.#sha256 ??= sha256Of(this.body);
    return this.#sha256;
  }

  /** The object as it is sent: the body as it was given, with the stamps of its owner. */
  annotate(now: Date): ExactMap {
    return stampTime(this.stamped(), now);
  }

  /** The same without the time, which is only known when it is sent. */
  stamped(): ExactMap {
    const { metadata } = this;
    const stamps: Record<string, Exact | undefined> = {
      [annotation.integration]: this.integration,
      [annotation.integrationVersion]: this.integrationVersion,
      [annotation.sha256]: this.sha256(),
      [annotation.caller]: this.caller,
      [annotation.attribution]: this.attribution,
    };
    const annotations: { [key: string]: Exact } = { ...mapAt(metadata, "annotations") };
    for (const [key, value] of Object.entries(stamps)) if (value !== undefined) annotations[key] = value;
    return { ...this.body, metadata: { ...metadata, annotations } };
  }
}

/** A stamped object with the time at which it is sent. */
export function stampTime(stamped: ExactMap, now: Date): ExactMap {
  const metadata = mapAt(stamped, "metadata");
  const time = `${now.toISOString().slice(0, "2000-01-01T00:00:00".length)}Z`;
  return {
    ...stamped,
    metadata: { ...metadata, annotations: { ...mapAt(metadata, "annotations"), [annotation.update]: time } },
  };
}

function namesOf(body: ExactMap): { apiVersion: string; kind: string; name: string } {
  return {
    apiVersion: text(body["apiVersion"]),
    kind: text(body["kind"]),
    name: text(mapAt(body, "metadata")["name"]),
  };
}

function text(value: Exact | undefined): string {
  return typeof value === "string" ? value : "";
}

/** A live object as the inventory holds it: the client has parsed it from JSON, so it is nothing else. */
export function liveBody(object: KubeObject): ExactMap {
  const body: unknown = object;
  if (!isParsed(body)) throw new TypeError("an object of a cluster is a map");
  return body;
}

function isParsed(body: unknown): body is ExactMap {
  return typeof body === "object" && body !== null;
}

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

interface NamedBody {
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
