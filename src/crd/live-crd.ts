import { systemClock } from "#base";
import type { LiveApi } from "./live-api.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** What of a definition, by hand or by the generator, tells where its objects are. */
interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/** A definition that stands on the test's API server until it is disposed of. */
export interface LiveCrd extends AsyncDisposable {
  /** What the server makes of an object, without keeping it. */
  tryOut(object: Readonly<Record<string, unknown>>): ReturnType<LiveApi["call"]>;
}

export async function installLive(api: LiveApi, crd: Definition, namespace: string): Promise<LiveCrd> {
  const { group, names, versions, scope } = crd.spec;
  const made = await api.call("POST", definitions, crd);
  if (made.status !== 201) throw new Error(made.message);
  const version = versions[0]?.name;
  const place = scope === "Namespaced" ? `/namespaces/${namespace}` : "";
  const path = `/apis/${group}/${version}${place}/${names.plural}`;
  const live: LiveCrd = {
    tryOut: (object) =>
      api.call("POST", `${path}?dryRun=All`, {
        apiVersion: `${group}/${version}`,
        kind: names.kind,
        metadata: { name: "a" },
        ...object,
      }),
    async [Symbol.asyncDispose]() {
      await api.call("DELETE", `${definitions}/${crd.metadata.name}`);
    },
  };
  await untilServed(api, path);
  return live;
}

/** The server answers 404 until it has taken a new definition in. */
export async function untilServed(api: LiveApi, path: string): Promise<void> {
  const end = performance.now() + 20_000;
  for (;;) {
    const { status, message } = await api.call("GET", path);
    if (status === 200) return;
    if (performance.now() > end) throw new Error(`${path} is not served after 20 s: ${status} ${message}`);
    await systemClock.sleep(20);
  }
}
