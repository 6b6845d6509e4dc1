import { InputError } from "#base";
import type { Autoscaling } from "./object/autoscaling.ts";
import type { ManagedObject } from "./object/managed-object.ts";

/** The desired and the live objects of one kind in one namespace of one cluster. */
export interface KindState {
  readonly current: ReadonlyMap<string, ManagedObject>;
  readonly desired: ReadonlyMap<string, ManagedObject>;
  /** Objects that only an administrator of the cluster may write. */
  readonly privileged: ReadonlySet<string>;
  /** The only names that are managed; `undefined` for all. */
  readonly managedNames: ReadonlySet<string> | undefined;
}

export interface InventoryEntry extends KindState {
  readonly cluster: string;
  readonly namespace: string;
  /** `Kind`, or `Kind.group`. */
  readonly type: string;
  /** What scales objects of the namespace; `undefined` if that was not read. */
  readonly autoscaling?: Autoscaling | undefined;
}

/** Something that could not be found out or made; what it concerns is not changed for the worse. */
export interface InventoryError {
  /**
   * current (the default): live objects could not be read, so nothing is done there.
   * desired: a desired object could not be computed, so nothing of it is changed or deleted.
   */
  readonly stage?: "current" | "desired";
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
  /** Which of the things that the integration manages it concerns. */
  readonly attribution?: string | undefined;
  /** Without an attribution: which of these things it does not concern. */
  readonly spares?: ReadonlySet<string> | undefined;
  readonly what: string;
  readonly next?: string | undefined;
}

/** The name of the namespace under which objects without one are kept. */
export const clusterScope = "cluster";

interface MutableState extends KindState {
  readonly current: Map<string, ManagedObject>;
  readonly desired: Map<string, ManagedObject>;
  readonly privileged: Set<string>;
  readonly isAllPrivileged: boolean;
}

/** The desired and the live objects of one run, on all clusters, in the order in which they were added. */
export class ResourceInventory {
  readonly #clusters = new Map<string, Map<string, Map<string, MutableState>>>();
  readonly #autoscaling = new Map<string, Autoscaling>();
  readonly #errors: InventoryError[] = [];

  /** Says that a kind is managed in a namespace. Saying it again changes nothing, not even the names. */
  initialize(
    cluster: string,
    namespace: string,
    type: string,
    managedNames?: Iterable<string>,
    isAllPrivileged = false,
  ): void {
    const namespaces = entryOf(this.#clusters, cluster, () => new Map<string, Map<string, MutableState>>());
    const types = entryOf(namespaces, namespace, () => new Map<string, MutableState>());
    entryOf<string, MutableState>(types, type, () => ({
      current: new Map(),
      desired: new Map(),
      privileged: new Set(),
      managedNames: managedNames ? new Set(managedNames) : undefined,
      isAllPrivileged,
    }));
  }

  /** Throws if the kind or the name is not managed there, or if the object is desired twice. */
  addDesired(wanted: DesiredObject): void {
    const { cluster, namespace, kind, name, value, privileged = false } = wanted;
    const state = this.#clusters.get(cluster)?.get(namespace)?.get(kind);
    const place = `${cluster}/${namespace} ${kind} ${name}`;
    const where = value.errorDetails ? `${value.errorDetails}: ${place}` : place;
    if (!state) {
      throw new InputError(`${kind} is not managed in ${cluster}/${namespace}`, {
        where,
        next: this.#hint(cluster, namespace),
      });
    }
    if (state.managedNames && !state.managedNames.has(name)) {
      throw new InputError("only these names are managed: " + [...state.managedNames].join(", "), {
        where,
        next: "add the name to those that are managed, or remove the object",
      });
    }
    const first = state.desired.get(name);
    if (first) {
      const origin = first.errorDetails ? `, first by ${first.errorDetails}` : "";
      throw new InputError(`is desired twice${origin}`, { where, next: "give one of them another name, or remove it" });
    }
    state.desired.set(name, value);
    if (privileged || state.isAllPrivileged) state.privileged.add(name);
  }

  /** The same, under `Kind.group` if that is managed, else under `Kind`; a cluster that is not managed is registered as an error. */
  addDesiredResource(cluster: string, namespace: string, resource: ManagedObject, privileged = false): void {
    const types = this.#clusters.get(cluster)?.get(namespace);
    if (!this.#clusters.has(cluster)) {
      this.registerError({
        cluster,
        namespace,
        what: `${resource.kind} ${resource.name}: cluster ${cluster} is not managed`,
      });
      return;
    }
    const kind = types?.has(resource.kindAndGroup) ? resource.kindAndGroup : resource.kind;
    this.addDesired({ cluster, namespace, kind, name: resource.name, value: resource, privileged });
  }

  /** What was found; later news replace earlier ones. */
  addCurrent(cluster: string, namespace: string, type: string, name: string, resource: ManagedObject): void {
    this.initialize(cluster, namespace, type);
    const state = this.#clusters.get(cluster)?.get(namespace)?.get(type);
    state?.current.set(name, resource);
    if (state?.isAllPrivileged) state.privileged.add(name);
  }

  /** What scales objects of the namespace: a plan leaves their replicas to it. */
  addAutoscaling(cluster: string, namespace: string, autoscaling: Autoscaling): void {
    this.#autoscaling.set(JSON.stringify([cluster, namespace]), autoscaling);
  }

  registerError(error: InventoryError): void {
    this.#errors.push(error);
  }

  /** Whether anything failed, or anything that concerns this cluster. */
  hasError(cluster?: string): boolean {
    return this.#errors.some((error) => cluster === undefined || error.cluster === cluster);
  }

  get errors(): readonly InventoryError[] {
    return this.#errors;
  }

  *[Symbol.iterator](): IterableIterator<InventoryEntry> {
    for (const [cluster, namespaces] of this.#clusters) {
      for (const [namespace, types] of namespaces) {
        const autoscaling = this.#autoscaling.get(JSON.stringify([cluster, namespace]));
        for (const [type, state] of types) yield { cluster, namespace, type, autoscaling, ...state };
      }
    }
  }

  #hint(cluster: string, namespace: string): string {
    const types = this.#clusters.get(cluster)?.get(namespace);
    if (types) return `managed there are ${[...types.keys()].join(", ") || "no kinds"}`;
    const known = this.#clusters.get(cluster);
    return known
      ? `managed namespaces are ${[...known.keys()].join(", ")}`
      : `managed clusters are ${[...this.#clusters.keys()].join(", ") || "none"}`;
  }
}

export interface DesiredObject {
  readonly cluster: string;
  readonly namespace: string;
  /** The kind as it was initialised: `Kind`, or `Kind.group`. */
  readonly kind: string;
  readonly name: string;
  readonly value: ManagedObject;
  readonly privileged?: boolean;
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
