import { InputError, nearestName } from "#base";
import type { ApiGroup, ApiResource } from "./api-group.ts";
import type { KindRef } from "./object.ts";

/** What a cluster serves, as of one discovery. */
export class ApiCatalog {
  readonly resources: readonly ApiResource[];
  readonly #cluster: string;
  readonly #groups: ReadonlyMap<string, ApiGroup>;
  readonly #byKind = new Map<string, ApiResource>();
  readonly #byName = new Map<string, ApiResource>();

  /** Groups in the server's order: of several resources with the same name, the first one gets it. */
  constructor(cluster: string, groups: readonly ApiGroup[]) {
    this.#cluster = cluster;
    this.#groups = new Map(groups.map((group) => [group.name, group]));
    this.resources = groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
    for (const resource of this.resources) this.#byKindAdd(resource);
    for (const resource of this.resources) this.#nameAll(resource, fullNames(resource));
    for (const resource of this.resources) this.#nameAll(resource, resource.shortNames);
  }

  find({ apiVersion, kind }: KindRef): ApiResource | undefined {
    return this.#byKind.get(`${apiVersion} ${kind}`);
  }

  /** By `deploy`, `deployment`, `deployments`, `Deployment`, each also with `.apps` or `.v1.apps` behind it. */
  findByName(name: string): ApiResource | undefined {
    return this.#byName.get(name.toLowerCase());
  }

  preferredVersion(group: string): string | undefined {
    return this.#groups.get(group)?.versions[0]?.version;
  }

  /** Why `find` found nothing. Not an `InputError` while the API that serves the kind is down. */
  explainMissing({ apiVersion, kind }: KindRef): Error {
    const [version = "", groupName = ""] = apiVersion.split("/").toReversed();
    const where = `${apiVersion} ${kind}`;
    const group = this.#groups.get(groupName);
    if (!group) return this.#explainMissingGroup(groupName, where);
    const stale = group.versions.find(({ version: name, isStale }) => isStale && name === version);
    if (stale) return this.#explainStale(`${stale.version}.${groupName}`, where);
    const served = group.versions.flatMap(({ resources }) => resources);
    const elsewhere = served.find((resource) => resource.kind === kind);
    if (elsewhere) {
      return new InputError(
        `cluster ${this.#cluster} serves ${kind} as ${elsewhere.apiVersion}, not as ${apiVersion}`,
        {
          where,
          next: `write apiVersion: ${elsewhere.apiVersion}`,
        },
      );
    }
    const near = nearestName(kind, new Set(served.map((resource) => resource.kind)));
    const definition = `${guessPlural(kind)}.${groupName}`;
    return new InputError(`cluster ${this.#cluster} has no kind ${kind} in ${describeGroup(groupName)}`, {
      where,
      next: near
        ? `did you mean ${near}?`
        : groupName.includes(".")
          ? `correct the kind, or install its CustomResourceDefinition (${definition} or the like)`
          : "correct the kind",
    });
  }

  explainUnknownName(name: string): Error {
    const near = nearestName(name, this.#byName.keys());
    const stale = [...this.#groups.values()].flatMap(({ name: group, versions }) =>
      versions.flatMap(({ version, isStale }) => (isStale ? [`${version}.${group}`] : [])),
    );
    const down = stale.length === 0 ? "" : ` (APIs that do not answer: ${stale.join(", ")})`;
    return new InputError(`cluster ${this.#cluster} has no kind or resource of this name${down}`, {
      where: JSON.stringify(name),
      next: near ? `did you mean ${near}?` : '"kubectl api-resources" lists what it has',
    });
  }

  #explainMissingGroup(group: string, where: string): InputError {
    const near = nearestName(group, this.#groups.keys());
    return new InputError(`cluster ${this.#cluster} has no API group ${JSON.stringify(group)}`, {
      where,
      next: near
        ? `did you mean ${near}?`
        : "correct apiVersion, or install what defines it (usually a CustomResourceDefinition)",
    });
  }

  #explainStale(service: string, where: string): Error {
    return new Error(
      `${where}: the API behind ${service} of cluster ${this.#cluster} does not answer, so its kinds are not known; "kubectl get apiservice ${service}" says why`,
    );
  }

  /** If two resources share a kind, the one that supports `get` wins. */
  #byKindAdd(resource: ApiResource): void {
    const key = `${resource.apiVersion} ${resource.kind}`;
    const other = this.#byKind.get(key);
    if (!other || (!other.verbs.includes("get") && resource.verbs.includes("get"))) this.#byKind.set(key, resource);
  }

  #nameAll(resource: ApiResource, names: readonly string[]): void {
    const { group, version } = resource;
    const endings = ["", `.${group}`, `.${version}.${group}`, ...(group === "" ? [`.${version}`] : [])];
    for (const name of names.map((each) => each.toLowerCase())) {
      for (const ending of endings) if (!this.#byName.has(name + ending)) this.#byName.set(name + ending, resource);
    }
  }
}

function fullNames({ plural, singular, kind }: ApiResource): string[] {
  return [plural, singular, kind];
}

function describeGroup(group: string): string {
  return group === "" ? "the core API group" : `API group ${group}`;
}

/** As Kubernetes guesses it: https://pkg.go.dev/k8s.io/apimachinery/pkg/api/meta#UnsafeGuessKindToResource */
function guessPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith("s")) return `${singular}es`;
  return singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
