import { describeRef, type KubeObject } from "#kube";
import type { Side } from "../kinds/index.ts";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { type InputHooks, resolveInputs } from "./resolve-values.ts";
import type { ResolvedInputs, SourceReader } from "./resolved.ts";

/** For tests: objects in memory, and what was read, such as `plug Secret app/sec`. */
export class FakeReader {
  readonly objects: KubeObject[];
  readonly asked: string[] = [];

  constructor(...objects: readonly KubeObject[]) {
    this.objects = [...objects];
  }

  readonly as = (side: Side): SourceReader => ({
    read: async (ref) => {
      this.asked.push(`${side} ${describeRef(ref)}`);
      return this.objects.find(
        ({ apiVersion, kind, metadata }) =>
          apiVersion === ref.apiVersion &&
          kind === ref.kind &&
          metadata.name === ref.name &&
          metadata.namespace === ref.namespace,
      );
    },
  });
}

export function configMap(key: string, data: Readonly<Record<string, string>>, more: object = {}): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: metadataOf(key), data, ...more };
}

/** The values are encoded here, as the API server has them. */
export function secret(key: string, data: Readonly<Record<string, string>>): KubeObject {
  const encoded = Object.entries(data).map(([name, value]) => [name, Buffer.from(value).toString("base64")]);
  return { apiVersion: "v1", kind: "Secret", metadata: metadataOf(key), data: Object.fromEntries(encoded) };
}

function metadataOf(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

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
