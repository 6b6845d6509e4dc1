import type { KubeObject } from "#kube";
import { samplePair } from "../kinds/sample-pair.ts";
import { FakeReader } from "./fake-reader.ts";
import type { ResolvedInputs } from "./resolved.ts";
import { type InputHooks, resolveInputs } from "./resolve-inputs.ts";

export const never = new AbortController().signal;

/** For tests: the inputs of a plug `app/p` and a socket `prov/s` with these specs, where there are these objects. */
export async function resolveSample(
  plugSpec: object,
  socketSpec: object,
  objects: readonly KubeObject[] = [],
  hooks: InputHooks = {},
): Promise<ResolvedInputs> {
  const { plug, socket } = samplePair(plugSpec, socketSpec);
  return await resolveInputs(plug, socket, new FakeReader(...objects).as, hooks, never);
}
