import { type JsonValue, redact } from "#base";
import {
  type ApplyOptions,
  creationPath,
  type DeleteOptions,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type NewObject,
  objectPath,
  type ObjectRef,
  refOf,
} from "#kube";
import type { ApiCall } from "./outcome.ts";

/** The verbs that change something; in a dry run they only note what they would send, and answer nothing. */
export interface Writer {
  readonly calls: readonly ApiCall[];
  /** Answers with metadata only. */
  apply(
    object: KubeObject,
    options: { readonly force?: boolean },
    signal: AbortSignal,
  ): Promise<KubeObject | undefined>;
  create(object: NewObject, signal: AbortSignal): Promise<KubeObject | undefined>;
  patch(ref: ObjectRef, patch: WriterPatch, signal: AbortSignal): Promise<KubeObject | undefined>;
  delete(ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<void>;
}

export interface WriterPatch {
  readonly type: "json" | "merge";
  readonly body: JsonValue;
  readonly fieldManager?: string;
}

export interface WriterOptions {
  readonly client: KubeClient;
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly onCall: () => void;
}

export function createWriter({ client, fieldManager, dryRun, onCall }: WriterOptions): Writer {
  const calls: ApiCall[] = [];

  async function note(method: ApiCall["method"], ref: KindRef & Partial<ObjectRef>, body?: unknown): Promise<void> {
    const resource = await client.discovery.find(ref);
    const { name, namespace } = ref;
    const path = name === undefined ? creationPath(resource, namespace) : objectPath(resource, { namespace, name });
    calls.push({ method, path, ...(dryRun && body !== undefined ? { body: redactedBody(body) } : {}) });
    if (!dryRun) onCall();
  }

  return {
    calls,
    async apply(object, { force = false }, signal) {
      await note("PATCH", refOf(object), object);
      const options: ApplyOptions = { fieldManager, force, metadataOnly: true };
      return dryRun ? undefined : await client.apply(object, options, signal);
    },
    async create(object, signal) {
      const { apiVersion, kind, metadata } = object;
      await note("POST", { apiVersion, kind, namespace: metadata.namespace }, object);
      return dryRun ? undefined : await client.create(object, { fieldManager }, signal);
    },
    async patch(ref, { type, body, fieldManager: manager = fieldManager }, signal) {
      await note("PATCH", ref, body);
      return dryRun ? undefined : await client.patch(ref, { type, body, fieldManager: manager }, signal);
    },
    async delete(ref, options, signal) {
      await note("DELETE", ref);
      if (!dryRun) await client.delete(ref, options, signal);
    },
  };
}

/** Of a Secret, all else may be secret, also what is written in the wrong place. */
const harmless = new Set(["apiVersion", "kind", "metadata", "type", "immutable"]);

/** What of a body people may see. */
function redactedBody(body: unknown): string {
  if (typeof body !== "object" || body === null) return redact(JSON.stringify(body));
  const isSecret = "kind" in body && body.kind === "Secret";
  const fields = Object.entries(body).map(([key, value]) => [
    key,
    isSecret && !harmless.has(key) ? mask(value) : value,
  ]);
  return redact(JSON.stringify(Array.isArray(body) ? body : Object.fromEntries(fields)));
}

/** Shows which keys there are. */
function mask(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return "***";
  return Object.fromEntries(Object.keys(value).map((key) => [key, "***"]));
}
