import { readFile } from "node:fs/promises";
import { z } from "zod";
import { type Clock, systemClock } from "#base";
import { type HttpProxy, isWatch, type RequestView, startHttpProxy } from "#faults";
import { type TestApi, connectTestApi } from "#harness";
import { type ClusterAccess, connect, createClient, createReflector, type Reflector } from "#kube";
import { type ChangeRecord, recordChanges } from "./change-record.ts";
import { type ReadingRecord, recordReadings } from "./reading-record.ts";

export interface WatchedWorldOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Objects that are there before the reflector is. */
  readonly before?: readonly string[];
  /** Faults that are there before the reflector is. */
  readonly prepare?: (proxy: HttpProxy) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** How the reflector gets to the proxy; default: straight. */
  readonly access?: (proxy: HttpProxy) => Promise<ClusterAccess>;
  /** With it the proxy speaks TLS and lets the reflector show who it is; without, it acts as the administrator. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A reflector of the ConfigMaps that a writer makes, behind a proxy that fails as told and that the writer does not pass. */
export interface WatchedWorld extends AsyncDisposable {
  readonly proxy: HttpProxy;
  readonly reflector: Reflector;
  readonly changes: ChangeRecord;
  readonly readings: ReadingRecord;
  /** How the reflector asked: `read` for a whole state, `resume` for a watch from a version, `doubt` for one object. */
  asked(): string[];
  write(name: string, value?: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Waits until the reflector has seen all that was written before. */
  caughtUp(): Promise<void>;
  /** What the reflector keeps, what its changes tell and what the API server lists, each as names and versions. */
  compare(): Promise<Record<"kept" | "told" | "listed", readonly string[]>>;
}

export async function startWatchedWorld(options: WatchedWorldOptions): Promise<WatchedWorld> {
  const { kubeconfig, namespace, clock = systemClock, random = () => 0 } = options;
  await using cleanup = new AsyncDisposableStack();
  const id = crypto.randomUUID().slice(0, 4);
  const writer = openWriter(cleanup.use(connectTestApi(kubeconfig)), namespace, id);
  for (const name of options.before ?? []) await writer.write(name);

  const proxy = cleanup.use(await startProxy(options));
  options.prepare?.(proxy);
  const transport = cleanup.use(connect(await (options.access ?? anonymously)(proxy)));
  const readings = recordReadings(createClient(transport));
  const selection = { apiVersion: "v1", kind: "ConfigMap", namespace, labelSelector: writer.labelSelector };
  const reflector = createReflector({ client: readings.source, selection, clock, random });
  const changes = recordChanges(reflector);
  const stopping = new AbortController();
  const running = reflector.run(stopping.signal);
  cleanup.defer(async () => {
    stopping.abort();
    await running;
  });
  const disposal = cleanup.move();
  let markers = 0;

  return {
    proxy,
    reflector,
    changes,
    readings,
    asked: () => proxy.requests.filter(isOfReflector).map(describeAsking),
    write: async (name, value) => void (await writer.write(name, value)),
    remove: (name) => writer.remove(name),
    async caughtUp() {
      // Initial events come in no order: what was seen says nothing of the rest until they end.
      do {
        markers += 1;
        const version = await writer.write("marker", `${markers}`);
        await changes.when(`${namespace}/${id}-marker`, version);
      } while (readings.isUnfinished);
    },
    async compare() {
      const kept = reflector.store.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
      return { kept: kept.toSorted(), told: changes.replayed(), listed: await writer.list() };
    },
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  };
}

export function isRead(request: RequestView): boolean {
  return isOfReflector(request) && describeAsking(request) === "read";
}

export function isResume(request: RequestView): boolean {
  return isOfReflector(request) && describeAsking(request) === "resume";
}

/** A list or watch of the reflector, and not discovery on the way to it. */
export function isOfReflector({ path }: RequestView): boolean {
  return new URL(path, "http://localhost").pathname.endsWith("/configmaps");
}

function describeAsking(request: RequestView): "read" | "resume" | "doubt" {
  const query = new URL(request.path, "http://localhost").searchParams;
  if (query.get("limit") === "1") return "doubt";
  return isWatch(request) && !query.has("sendInitialEvents") ? "resume" : "read";
}

async function anonymously({ url }: HttpProxy): Promise<ClusterAccess> {
  const credentials = { current: async () => ({}), renew: async () => false };
  return { context: "faulty", source: "a test", server: url, namespace: "default", credentials };
}

const Kubeconfig = z.object({
  clusters: z.tuple([z.object({ cluster: z.object({ server: z.url(), "certificate-authority-data": z.base64() }) })]),
  users: z.tuple([
    z.object({ user: z.object({ "client-certificate-data": z.base64(), "client-key-data": z.base64() }) }),
  ]),
});

async function startProxy({ kubeconfig, tls }: WatchedWorldOptions): Promise<HttpProxy> {
  const { clusters, users } = Kubeconfig.parse(JSON.parse(await readFile(kubeconfig, "utf8")));
  const { server, "certificate-authority-data": authority } = clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = users[0].user;
  const ca = Buffer.from(authority, "base64");
  const admin = { cert: Buffer.from(cert, "base64"), key: Buffer.from(key, "base64") };
  const target = new URL(server);
  return tls
    ? startHttpProxy({ target, tls, upstream: { tls: { ca } } })
    : startHttpProxy({ target, upstream: { tls: { ca, ...admin } } });
}

const Versioned = z.object({ metadata: z.object({ name: z.string(), resourceVersion: z.string() }) });

/** Makes ConfigMaps that bear the id in their names and as a label. */
function openWriter(api: TestApi, namespace: string, id: string) {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const labelSelector = `world=w${id}`;
  return {
    labelSelector,
    async write(shortName: string, value = ""): Promise<string> {
      const name = `${id}-${shortName}`;
      const object = { metadata: { name, labels: { world: `w${id}` } }, data: { value } };
      const made = await api.call("POST", path, object);
      const { status, body } = made.status === 409 ? await api.call("PUT", `${path}/${name}`, object) : made;
      if (status >= 300) throw new Error(`the writer got ${status}: ${JSON.stringify(body)}`);
      return Versioned.parse(body).metadata.resourceVersion;
    },
    async remove(shortName: string): Promise<void> {
      await api.call("DELETE", `${path}/${id}-${shortName}`);
    },
    async list(): Promise<string[]> {
      const { body } = await api.call("GET", `${path}?labelSelector=${encodeURIComponent(labelSelector)}`);
      const { items } = z.object({ items: z.array(Versioned) }).parse(body);
      return items.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).toSorted();
    },
  };
}
