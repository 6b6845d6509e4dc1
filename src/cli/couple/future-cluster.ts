import { InputError } from "#base";
import { Plug, readCoupledState, requestedSocket, Socket } from "#coupling";
import { type KubeClient, type KubeObject, keyOf } from "#kube";
import type { ManifestObject } from "./read-manifests.ts";

/** The cluster as it would be after a file was applied. Reads as little as possible, because users may have few rights. */
export class FutureCluster {
  /** The objects of the file. */
  readonly given: readonly KubeObject[];
  readonly #manifests: ReadonlyMap<string, ManifestObject>;
  readonly #client: KubeClient;
  readonly #signal: AbortSignal;

  constructor(manifests: readonly ManifestObject[], client: KubeClient, signal: AbortSignal) {
    this.given = manifests.map(({ object }) => object);
    this.#manifests = new Map(
      manifests.map((manifest) => [`${manifest.object.kind}/${keyOf(manifest.object)}`, manifest]),
    );
    this.#client = client;
    this.#signal = signal;
  }

  /** The plugs of the file, and those that name a socket of the file. */
  async affectedPlugs(): Promise<Plug[]> {
    const own = this.given.filter(({ kind }) => kind === "Plug");
    const planned = await Promise.all(own.map((object) => this.#planned(object, Plug)));
    const sockets = new Set(this.given.filter(({ kind }) => kind === "Socket").map(keyOf));
    if (sockets.size === 0) return planned;
    const { items } = await this.#client.list({ apiVersion: Plug.apiVersion, kind: Plug.kind }, this.#signal);
    const others = items.filter(
      (object) => !this.#manifests.has(`Plug/${keyOf(object)}`) && sockets.has(readCoupledState(object).target ?? ""),
    );
    return [...planned, ...others.map((object) => Plug.parse(object))];
  }

  async socketOf(plug: Plug): Promise<Socket | undefined> {
    const requested = requestedSocket(plug);
    if (!requested) return undefined;
    const given = this.#manifests.get(`Socket/${requested.namespace}/${requested.name}`);
    if (given) return await this.#planned(given.object, Socket);
    const found = await this.#client.find(
      { apiVersion: Socket.apiVersion, kind: Socket.kind, ...requested },
      this.#signal,
    );
    return found && Socket.parse(found);
  }

  /** The labels of the plug's namespace, if the socket selects by them. */
  async labelsFor(plug: Plug, socket: Socket): Promise<Readonly<Record<string, string>>> {
    if (socket.spec.allowedPlugs?.selector === undefined) return {};
    const { namespace = "" } = plug.metadata;
    const given = this.given.find(({ kind, metadata }) => kind === "Namespace" && metadata.name === namespace);
    const ref = { apiVersion: "v1", kind: "Namespace", name: namespace, metadataOnly: true };
    const found = given ?? (await this.#client.find(ref, this.#signal));
    return found?.metadata.labels ?? {};
  }

  /** The file's object with the identity and status of the live one. */
  async #planned<Value>(object: KubeObject, kind: { parse(object: unknown): Value }): Promise<Value> {
    const { metadata } = object;
    const { namespace, name } = metadata;
    const found = await this.#client.find(
      { apiVersion: Plug.apiVersion, kind: object.kind, namespace, name },
      this.#signal,
    );
    const planned: Record<string, unknown> = found
      ? { ...object, metadata: { ...found.metadata, ...metadata, uid: found.metadata.uid }, status: found["status"] }
      : { ...object, metadata: { ...metadata, uid: `new-${object.kind}-${keyOf(object)}` } };
    if (planned["status"] === undefined) delete planned["status"];
    try {
      return kind.parse(planned);
    } catch (cause) {
      if (!(cause instanceof InputError)) throw cause;
      const where = this.#manifests.get(`${object.kind}/${keyOf(object)}`)?.where ?? "";
      throw new InputError(cause.what, { where: `${where}: ${cause.where ?? keyOf(object)}`, cause });
    }
  }
}
