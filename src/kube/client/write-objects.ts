import { InputError } from "#base";
import { type ClientContext, isAbsent, sendForObject, sendJson } from "./client-context.ts";
import { describeRef, type KubeObject, type NewObject, type ObjectRef, refOf } from "./object.ts";
import { explainRejectedWrite } from "./rejected-write.ts";
import type { KubeRequest } from "../transport/request.ts";
import { partialObject } from "./read-objects.ts";
import { checkSegments, creationPath, objectPath } from "./resource-path.ts";

/**
 * The field manager of everything that Tenon applies. One for all integrations: an object that moves from one to another
 * leaves no fields behind under the name of the first.
 */
export const defaultFieldManager = "tenon";

export interface WriteOptions {
  readonly fieldManager?: string | undefined;
  /** The server validates and answers, but stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** How unknown and duplicate fields are handled; default `Strict`: an `InputError` that names them. */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore" | undefined;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers, instead of throwing `FieldConflictError`. */
  readonly force?: boolean | undefined;
  readonly subresource?: string | undefined;
  /** The answer is the object's metadata only, under its own apiVersion and kind: large objects do not come back. */
  readonly metadataOnly?: boolean | undefined;
}

export interface ReplaceOptions extends WriteOptions {
  readonly subresource?: "status" | undefined;
}

export interface Patch extends WriteOptions {
  readonly type: "merge" | "json";
  readonly body: unknown;
  readonly subresource?: string | undefined;
}

export interface DeleteOptions {
  /** Deletes only the object with this uid, not a newer one with the same name. */
  readonly uid?: string | undefined;
  /** Deletes only if nothing has changed since. */
  readonly resourceVersion?: string | undefined;
  /** How owned objects are deleted; default `Background`. */
  readonly propagation?: "Background" | "Foreground" | "Orphan" | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

/** The verbs that change something. An object that does not fit its schema is an `InputError`, without its values. */
export interface ObjectWriter {
  create(object: NewObject, options?: WriteOptions, signal?: AbortSignal): Promise<KubeObject>;
  /** Server-side apply. Fields that others manage are a `FieldConflictError`, unless forced. */
  apply(object: KubeObject, options: ApplyOptions, signal?: AbortSignal): Promise<KubeObject>;
  /** Needs `metadata.resourceVersion`: `ApiError` with `isConflict` if the object has changed since. */
  replace(object: KubeObject, options?: ReplaceOptions, signal?: AbortSignal): Promise<KubeObject>;
  patch(ref: ObjectRef, patch: Patch, signal?: AbortSignal): Promise<KubeObject>;
  /** Returns once the server has accepted it, or when the object is absent; finalizers may keep the object for longer. */
  delete(ref: ObjectRef, options?: DeleteOptions, signal?: AbortSignal): Promise<void>;
}

const patchTypes = { json: "application/json-patch+json", merge: "application/merge-patch+json" };

export function objectWriter(context: ClientContext): ObjectWriter {
  async function write(
    ref: Omit<ObjectRef, "apiVersion">,
    request: KubeRequest,
    signal?: AbortSignal,
  ): Promise<KubeObject> {
    try {
      return await sendForObject(context, request, signal);
    } catch (error) {
      throw explainRejectedWrite(error, describeRef(ref));
    }
  }

  async function pathOf(ref: ObjectRef, subresource: string | undefined, signal?: AbortSignal): Promise<string> {
    checkSegments({ ...ref, subresource });
    const resource = await context.discovery.find(ref, signal);
    return objectPath(resource, { namespace: ref.namespace, name: ref.name, subresource });
  }

  return {
    async create(object, options = {}, signal) {
      const { kind, metadata } = object;
      checkSegments(metadata);
      const resource = await context.discovery.find(object, signal);
      const path = creationPath(resource, metadata.namespace);
      const ref = { kind, namespace: metadata.namespace, name: metadata.name ?? `${metadata.generateName}*` };
      return await write(ref, { method: "POST", path, query: writeQuery(options), body: object }, signal);
    },
    async apply(object, options, signal) {
      const { force, subresource, metadataOnly } = options;
      const ref = refOf(object);
      const path = await pathOf(ref, subresource, signal);
      const query = { ...writeQuery(options), force };
      const contentType = "application/apply-patch+yaml";
      const headers = metadataOnly ? { accept: partialObject } : {};
      const request = { method: "PATCH", path, query, contentType, headers, body: object, isIdempotent: true } as const;
      const applied = await write(ref, request, signal);
      return metadataOnly ? { ...applied, apiVersion: object.apiVersion, kind: object.kind } : applied;
    },
    async replace(object, options = {}, signal) {
      if (object.metadata.resourceVersion === undefined) {
        throw new InputError("an object without metadata.resourceVersion would overwrite what others wrote", {
          where: describeRef(refOf(object)),
          next: "read the object, and replace what was read",
        });
      }
      const path = await pathOf(refOf(object), options.subresource, signal);
      return await write(refOf(object), { method: "PUT", path, query: writeQuery(options), body: object }, signal);
    },
    async patch(ref, patch, signal) {
      const path = await pathOf(ref, patch.subresource, signal);
      const contentType = patchTypes[patch.type];
      return await write(
        ref,
        { method: "PATCH", path, query: writeQuery(patch), contentType, body: patch.body },
        signal,
      );
    },
    async delete(ref, options = {}, signal) {
      const path = await pathOf(ref, undefined, signal);
      try {
        // With a uid, a retry cannot delete an object created in between.
        const isIdempotent = options.uid !== undefined;
        await sendJson(context, { method: "DELETE", path, body: deleteBody(options), isIdempotent }, signal);
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    },
  };
}

function writeQuery({ fieldManager, dryRun, fieldValidation = "Strict" }: WriteOptions): KubeRequest["query"] & object {
  return { fieldManager, fieldValidation, dryRun: dryRun ? "All" : undefined };
}

/**
 * Some kinds orphan the objects they own by default, such as Jobs of batch/v1:
 * https://kubernetes.io/docs/concepts/architecture/garbage-collection/#orphaned-dependents
 */
function deleteBody({
  uid,
  resourceVersion,
  propagation = "Background",
  gracePeriodSeconds,
  dryRun,
}: DeleteOptions): object {
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: propagation,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
    ...(dryRun ? { dryRun: ["All"] } : {}),
  };
}
