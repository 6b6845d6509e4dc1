import type { KubeObject } from "#kube";
import { checkBody } from "./check-body.ts";
import { type Exact, type ExactMap, mapAt } from "./exact.ts";
import { annotation, callerOf, markAt } from "./attribution.ts";
import { sha256Of } from "./object-hash.ts";

export interface ManagedObjectOptions {
  readonly body: ExactMap;
  readonly integration: string;
  readonly integrationVersion: string;
  /** Who among several users of one integration manages the object. */
  readonly callerName?: string | undefined;
  /** Which of the things that the integration manages the object belongs to. */
  readonly attribution?: string | undefined;
  /** Where the object comes from, for messages: a file and line, a template of a chart. */
  readonly errorDetails?: string | undefined;
  /** Live objects are the API server's business; they are taken as they are. */
  readonly skipValidation?: boolean;
}

/** An object of a cluster, wanted or found, with the integration that is concerned with it. */
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
