import { InputError } from "#base";
import type { Discovery } from "#kube";
import type { RenderedAction } from "./rendered.ts";

export interface PlacingOptions {
  readonly discovery: Pick<Discovery, "find">;
  readonly allowClusterScoped: boolean;
}

/**
 * Asks the cluster for the kinds of all actions, before any of them is done: a kind that it does not know is an error, and so
 * is one that is in no namespace, unless these are allowed.
 */
export async function placeActions(
  actions: readonly RenderedAction[],
  { discovery, allowClusterScoped }: PlacingOptions,
  signal: AbortSignal,
): Promise<RenderedAction[]> {
  const placed: RenderedAction[] = [];
  for (const action of actions) {
    const { kind, apiVersion } = action.object;
    const { isNamespaced } = await discovery.find({ apiVersion, kind }, signal).catch((error: unknown) => {
      if (!(error instanceof InputError)) throw error;
      const { what, next } = error;
      throw new InputError(what, { where: action.field, ...(next === undefined ? {} : { next }), cause: error });
    });
    if (!isNamespaced && !allowClusterScoped) {
      throw new InputError(`objects of kind ${kind} are in no namespace`, {
        where: action.field,
        next: "make only objects of the own namespace, or let the operator run with --allow-cluster-scoped",
      });
    }
    placed.push(isNamespaced ? action : withoutNamespace(action));
  }
  return placed;
}

function withoutNamespace({ object, ...action }: RenderedAction): RenderedAction {
  const { namespace: _, ...metadata } = object.metadata;
  return { ...action, object: { ...object, metadata } };
}
