import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure, failureStatus, isWatch, startHttpProxy, watchError } from "#faults";
import { testKubeconfig, useNamespace } from "#harness";
import { ApiError } from "../transport/api-error.ts";
import { createClient, type KubeClient } from "./client.ts";
import { ConnectionError } from "../transport/connection-error.ts";
import { loadAccess } from "../access/kubeconfig.ts";
import type { KubeObject, ObjectSelection } from "./object.ts";
import { accessThrough, presentationOf } from "../transport/proxied-access.fixture.ts";
import { connect } from "../transport/transport.ts";
import type { WatchEvent } from "./watch-events.ts";

const { namespace } = useNamespace();
const access = await loadAccess({ kubeconfig: testKubeconfig() });
const transport = connect(access);
afterAll(() => transport[Symbol.asyncDispose]());
const client = createClient(transport);

/** Kubernetes adds a ConfigMap to each namespace, at any time. */
const mine: ObjectSelection = { apiVersion: "v1", kind: "ConfigMap", namespace, labelSelector: "mine=yes" };
const names = Array.from({ length: 95 }, (_, index) => `cm-${String(index).padStart(2, "0")}`);

function configMap(name: string, labels: Record<string, string> = { mine: "yes" }): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name, labels }, data: { password: "hunter22" } };
}

beforeAll(async () => {
  await Promise.all(names.map((name) => client.create(configMap(name))));
});

async function throughProxy() {
  const proxy = await startHttpProxy({ target: access.server, upstream: await presentationOf(access) });
  const proxied = connect(accessThrough(access, proxy.url));
  const dispose = async () => {
    await proxied[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  };
  return { proxy, client: createClient(proxied), [Symbol.asyncDispose]: dispose };
}

const isSecond = ({ path }: { path: string }) => path.includes("continue=");
const namesOf = (items: readonly KubeObject[]) => items.map(({ metadata }) => metadata.name);

describe("lists", () => {
  it("a list in pages of ten equals the whole list", async () => {
    await using world = await throughProxy();
    const whole = await world.client.list(mine);
    const before = world.proxy.count();
    const pages = await Array.fromAsync(world.client.pages(mine, { limit: 10 }));
    expect(world.proxy.count() - before).toBe(10);
    expect(pages.map(({ items }) => items.length)).toEqual([...Array.from({ length: 9 }, () => 10), 5]);
    expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
    expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
    expect(namesOf(whole.items)).toEqual(names);
    for (const { apiVersion, kind, data } of whole.items) {
      expect({ apiVersion, kind, data }).toEqual({
        apiVersion: "v1",
        kind: "ConfigMap",
        data: { password: "hunter22" },
      });
    }
  });

  it("pages requests the next page while this one is in use, and aborts that request when the loop ends", async () => {
    await using world = await throughProxy();
    using stalled = world.proxy.silence({ match: isSecond });
    for await (const page of world.client.pages(mine, { limit: 50 })) {
      expect(page.items).toHaveLength(50);
      await world.proxy.when(isSecond);
      break;
    }
    await world.proxy.when((request) => isSecond(request) && !request.isOpen);
    expect(stalled.used).toBe(1);
  });

  it("list selects by label and by field", async () => {
    await client.create(configMap("other", { mine: "no" }));
    expect(namesOf((await client.list({ ...mine, labelSelector: "mine=no" })).items)).toEqual(["other"]);
    expect(namesOf((await client.list({ ...mine, fieldSelector: "metadata.name=cm-07" })).items)).toEqual(["cm-07"]);
    expect((await client.list({ ...mine, labelSelector: "mine=maybe" })).items).toEqual([]);
  });

  it("list selects from all namespaces, and cluster-scoped kinds", async () => {
    const everywhere = await client.list({ apiVersion: "v1", kind: "ConfigMap", labelSelector: "mine=yes" });
    expect(namesOf(everywhere.items.filter(({ metadata }) => metadata.namespace === namespace))).toEqual(names);
    const namespaces = await client.list({ apiVersion: "v1", kind: "Namespace" });
    expect(namesOf(namespaces.items)).toContain(namespace);
  });

  it("metadata-only lists have no data, and the kind of their objects", async () => {
    const { items } = await client.list({ ...mine, metadataOnly: true });
    expect(namesOf(items)).toEqual(names);
    for (const item of items) {
      expect(Object.keys(item).toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(item).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    }
  });

  it("a list continues with a newer state when the server has compacted the first, and misses no object that stays", async () => {
    await using world = await throughProxy();
    // What an API server sends with a 410 after compaction: the same place, at whatever moment is the newest then.
    const fresh = { v: "meta.k8s.io/v1", rv: -1, start: "cm-49\u0000" };
    const token = Buffer.from(JSON.stringify(fresh)).toString("base64url");
    const status = {
      ...failureStatus(410, "Expired", "The provided continue parameter is too old"),
      metadata: { continue: token },
    };
    using rule = world.proxy.answer({ ...failure(status), match: ({ path }) => path.includes("continue="), times: 1 });
    const iterator = world.client.pages(mine, { limit: 50 })[Symbol.asyncIterator]();
    const first = await iterator.next();
    await client.create(configMap("zz-new"));
    const second = await iterator.next();
    const end = await iterator.next();
    expect(rule.used).toBe(1);
    expect(end.done).toBe(true);
    expect(namesOf([...(first.value?.items ?? []), ...(second.value?.items ?? [])])).toEqual([...names, "zz-new"]);
    expect(second.value?.resourceVersion).not.toBe(first.value?.resourceVersion);
    await client.delete({ ...mine, name: "zz-new" });
  });

  it.each([
    { reason: "the server offers nothing to go on with", metadata: {}, times: 1, requests: 2 },
    { reason: "the server forgets twice", metadata: { continue: "anything" }, times: 2, requests: 3 },
  ])("a list fails when $reason", async ({ metadata, times, requests }) => {
    await using world = await throughProxy();
    await world.client.discovery.resources();
    const before = world.proxy.count();
    const status = { ...failureStatus(410, "Expired", "too old"), metadata };
    world.proxy.answer({ ...failure(status), match: ({ path }) => path.includes("continue="), times });
    const listing = Array.fromAsync(world.client.pages(mine, { limit: 50 }));
    await expect(listing).rejects.toMatchObject({ isGone: true });
    expect(world.proxy.count() - before).toBe(requests);
  });

  it("a list accepts any cached state with resourceVersion 0", async () => {
    const [page] = await Array.fromAsync(client.pages(mine, { resourceVersion: "0" }));
    expect(namesOf(page?.items ?? [])).toEqual(names);
  });

  it("a list never widens its selection", async () => {
    await expect(client.list({ apiVersion: "v1", kind: "Namespace", namespace })).rejects.toThrow(/have no namespace/);
  });
});

/** Reads until one event fits, and leaves the loop. */
async function readUntil(
  events: AsyncIterable<WatchEvent>,
  fits: (event: WatchEvent) => boolean,
): Promise<readonly WatchEvent[]> {
  const read: WatchEvent[] = [];
  for await (const event of events) {
    read.push(event);
    if (fits(event)) return read;
  }
  throw new Error("the watch ended before");
}

const isDeletionOf = (name: string) => (event: WatchEvent) =>
  event.type === "DELETED" && event.object.metadata.name === name;

const summary = (events: readonly WatchEvent[]) =>
  events.map((event) => (event.type === "BOOKMARK" ? "BOOKMARK" : `${event.type} ${event.object.metadata.name}`));

async function changeAll(name: string, via: KubeClient = client): Promise<void> {
  const { metadata } = await via.create(configMap(name, { mine: "watched" }));
  await via.patch({ ...mine, name }, { type: "merge", body: { data: { text: "ö" } } });
  await via.delete({ ...mine, name }, { uid: metadata.uid });
}

describe("watches", () => {
  const watched: ObjectSelection = { ...mine, labelSelector: "mine=watched" };

  it("a watch reports every change after a list", async () => {
    const { resourceVersion } = await client.list(watched);
    await changeAll("w-1");
    const events = await readUntil(
      client.watch(watched, { resourceVersion }, AbortSignal.timeout(300_000)),
      isDeletionOf("w-1"),
    );
    expect(summary(events)).toEqual(["ADDED w-1", "MODIFIED w-1", "DELETED w-1"]);
  });

  it("a watch with initial events starts with the existing objects and marks their end", async () => {
    const events = client.watch(mine, { sendInitialEvents: true }, AbortSignal.timeout(300_000));
    const read = await readUntil(events, (event) => event.type === "BOOKMARK" && event.isInitialEventsEnd);
    expect(summary(read).toSorted()).toEqual([...names.map((name) => `ADDED ${name}`), "BOOKMARK"].toSorted());
  });

  it("metadata-only watches have no data", async () => {
    const { resourceVersion } = await client.list(watched);
    await changeAll("w-2");
    const events = await readUntil(
      client.watch({ ...watched, metadataOnly: true }, { resourceVersion }, AbortSignal.timeout(300_000)),
      isDeletionOf("w-2"),
    );
    expect(events).toHaveLength(3);
    for (const event of events) {
      const object = event.type === "BOOKMARK" ? {} : event.object;
      expect(Object.keys(object).toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    }
  });

  it("a watch ends when the server ends it", async () => {
    const { resourceVersion } = await client.list(watched);
    const events = client.watch(watched, { resourceVersion, timeoutSeconds: 1 }, AbortSignal.timeout(300_000));
    expect(summary(await Array.fromAsync(events)).filter((event) => event !== "BOOKMARK")).toEqual([]);
  });

  it("an aborted watch rejects with the signal's reason", async () => {
    const controller = new AbortController();
    const events = client.watch(mine, { sendInitialEvents: true }, controller.signal);
    const reading = (async () => {
      for await (const event of events) if (event.type === "BOOKMARK") controller.abort(new Error("enough"));
    })();
    await expect(reading).rejects.toThrow("enough");
  });

  it("a watch throws an error event of the server", async () => {
    await using world = await throughProxy();
    world.proxy.inject({ match: isWatch, line: watchError(), at: { lines: 1 }, times: 1 });
    const reading = Array.fromAsync(world.client.watch(mine, { resourceVersion: "0" }, AbortSignal.timeout(300_000)));
    await expect(reading).rejects.toBeInstanceOf(ApiError);
    await expect(reading).rejects.toMatchObject({ isGone: true, reason: "Expired" });
  });

  it("a refused watch throws before the first event", async () => {
    const nobody = client.impersonate({ user: "nobody" });
    const reading = Array.fromAsync(nobody.watch(mine, {}, AbortSignal.timeout(300_000)));
    await expect(reading).rejects.toMatchObject({ isForbidden: true });
  });

  it.each(["reset", "end"] as const)(
    "a watch never yields half an object when the stream breaks (%s)",
    async (style) => {
      await using world = await throughProxy();
      world.proxy.cut({ match: isWatch, at: { lines: 3, bytes: 40 }, style, times: 1 });
      const read: WatchEvent[] = [];
      const reading = (async () => {
        for await (const event of world.client.watch(mine, { resourceVersion: "0" }, AbortSignal.timeout(300_000)))
          read.push(event);
      })();
      await expect(reading).rejects.toBeInstanceOf(ConnectionError);
      expect(read.length).toBeLessThanOrEqual(3);
      for (const event of read) expect(event).toMatchObject({ object: { data: { password: "hunter22" } } });
    },
  );
});
