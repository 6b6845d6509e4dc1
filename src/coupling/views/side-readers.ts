import { InputError } from "#base";
import { ApiError, type KubeClient, type KubeObject, type ObjectRef } from "#kube";
import { identityOf, type Plug, type Socket } from "../kinds/index.ts";
import type { SourceReader } from "../sources/resolved.ts";
import { asRecord } from "./coupled-state.ts";

type Side = "plug" | "socket";

/** Reads each side's sources as its service account, as the operator does. Without the right to do so, it fails and names that right. */
export function sideReaders(
  pair: { readonly plug: Plug; readonly socket: Socket },
  client: KubeClient,
  given: readonly KubeObject[] = [],
): (side: Side) => SourceReader {
  return (side) => {
    const identity = identityOf(pair[side]);
    const acting = client.impersonate(identity);
    return {
      async read(ref, signal) {
        const own = given.find((object) => isNamed(object, ref));
        if (own) return asStored(own);
        try {
          return await acting.find(ref, signal);
        } catch (error) {
          throw isAboutImpersonation(error) ? mayNotImpersonate(identity.user, error) : error;
        }
      },
    };
  };
}

function isNamed({ apiVersion, kind, metadata }: KubeObject, ref: ObjectRef): boolean {
  return (
    apiVersion === ref.apiVersion &&
    kind === ref.kind &&
    metadata.name === ref.name &&
    metadata.namespace === ref.namespace
  );
}

/** The server converts `stringData` of a Secret to `data`. */
function asStored(object: KubeObject): KubeObject {
  const { stringData, ...stored } = object;
  if (object.kind !== "Secret" || stringData === undefined) return object;
  const texts = Object.entries(asRecord(stringData)).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString("base64"),
  ]);
  return { ...stored, data: { ...asRecord(stored["data"]), ...Object.fromEntries(texts) } };
}

function isAboutImpersonation(error: unknown): error is ApiError {
  return error instanceof ApiError && error.isForbidden && error.message.includes("cannot impersonate");
}

/** Never for groups: the right to impersonate groups includes system:masters. */
function mayNotImpersonate(user: string, cause: ApiError): InputError {
  const [, , namespace, account] = user.split(":");
  return new InputError(`you have no right to impersonate ${user}, which Tenon uses to read for this side`, {
    next: `ask an administrator for a Role in namespace ${namespace} with the verb impersonate on serviceaccounts and resourceNames [${account}]; docs/how-to/debug-a-waiting-plug.md shows one, and \`tenon get plugs\` needs no such right`,
    cause,
  });
}
