import { InputError } from "#base";
import { describeRef, type KubeClient, type KubeObject } from "#kube";

/** An object that the user named; an InputError says what to do if there is none. */
export async function requireObject(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  namespace: string,
  name: string,
  client: Pick<KubeClient, "find">,
  signal: AbortSignal,
): Promise<KubeObject> {
  const ref = { apiVersion, kind, namespace, name };
  const found = await client.find(ref, signal);
  if (found) return found;
  throw new InputError(`${describeRef(ref)} not found`, { next: "create it, or correct the name or the namespace" });
}
