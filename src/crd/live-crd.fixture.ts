import { vi } from "vitest";
import { z } from "zod";
import { connect, type KubeRequest, loadAccess, type Transport } from "#kube";

/** What the API server answered, whatever the status. */
export interface RawAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Why it refused, if it did. */
  readonly message: string;
  readonly warnings: string;
}

/** For tests: requests as they are, without the checks and options that a client adds. */
export interface RawApi extends AsyncDisposable {
  readonly transport: Transport;
  call(method: KubeRequest["method"], path: string, body?: unknown, accept?: string): Promise<RawAnswer>;
}

const Body = z.record(z.string(), z.unknown());

export async function connectRaw(kubeconfig: string): Promise<RawApi> {
  const transport = connect(await loadAccess({ kubeconfig }));
  return {
    transport,
    async call(method, pathAndQuery, body, accept = "application/json") {
      const { pathname, searchParams } = new URL(pathAndQuery, "https://api");
      const {
        status,
        headers,
        body: text,
      } = await transport.send({
        method,
        path: pathname,
        query: Object.fromEntries(searchParams),
        headers: { accept },
        contentType: method === "PATCH" ? "application/apply-patch+yaml" : "application/json",
        body,
        passesFailures: true,
      });
      const isJson = headers["content-type"]?.startsWith("application/json");
      const parsed = Body.parse(isJson ? JSON.parse(text) : { message: text });
      const message = typeof parsed["message"] === "string" ? parsed["message"] : "";
      return { status, body: parsed, message, warnings: headers["warning"] ?? "" };
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** The part of a definition, written by hand or generated, that says where its objects are. */
interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/** A definition that is on the test's API server until it is disposed of. */
export interface LiveCrd extends AsyncDisposable {
  /** How the server answers the creation of this object; a dry run. */
  tryOut(object: Readonly<Record<string, unknown>>): Promise<RawAnswer>;
}

export async function installLive(api: RawApi, crd: Definition, namespace: string): Promise<LiveCrd> {
  const { group, names, versions, scope } = crd.spec;
  const made = await api.call("POST", definitions, crd);
  if (made.status !== 201) throw new Error(made.message);
  const version = versions[0]?.name;
  const place = scope === "Namespaced" ? `/namespaces/${namespace}` : "";
  const path = `/apis/${group}/${version}${place}/${names.plural}`;
  await untilServed(api, path);
  return {
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
}

/** The server answers 404 for a short time after it has accepted a new definition. */
export async function untilServed(api: RawApi, path: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { status, message } = await api.call("GET", path);
      if (status !== 200) throw new Error(`${path} is not served: ${status} ${message}`);
    },
    { timeout: 300_000, interval: 20 },
  );
}
