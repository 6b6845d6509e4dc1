import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import type { CouplingEntry } from "../kinds/index.ts";
import { Claims } from "./inventory-entries.ts";
import { markObject, type ObjectOrigin } from "./mark-object.ts";
import { removeObjects } from "./remove-objects.ts";

const never = new AbortController().signal;
const entry = (name: string): CouplingEntry => ({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  namespace: "prov",
  name,
  uid: `uid-${name}`,
  side: "socket",
  stage: "coupled",
});
const madeFor = (plugUid: string): ObjectOrigin => ({
  side: "socket",
  owner: { kind: "Socket", namespace: "prov", name: "s", uid: "socket" },
  plugUid,
  socketUid: "socket",
});

/** ConfigMaps that socket `s` has made. A deletion ends when the test lets it. */
class Cluster {
  readonly deleted: string[] = [];
  readonly #names: Set<string>;
  readonly #permission: Promise<void>;

  constructor(names: readonly string[], permission = Promise.resolve()) {
    this.#names = new Set(names);
    this.#permission = permission;
  }

  readonly find = async ({ name }: { readonly name: string }): Promise<KubeObject | undefined> => {
    if (!this.#names.has(name)) return undefined;
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "prov", name, uid: `uid-${name}` } };
    return markObject(object, madeFor("the last plug"), { isRetained: false });
  };

  readonly delete = async ({ name }: { readonly name: string }): Promise<undefined> => {
    this.deleted.push(name);
    await this.#permission;
    this.#names.delete(name);
  };
}

test("H48: of two plugs that leave at once, only the last one deletes the objects that both made", async () => {
  const permission = Promise.withResolvers<void>();
  const cluster = new Cluster(["shared", "one", "two"], permission.promise);
  const claims = new Claims(() => [
    ["one", [entry("shared"), entry("one")]],
    ["two", [entry("shared"), entry("two")]],
  ]);
  const leave = (plugUid: string) =>
    removeObjects(
      [entry("shared"), entry(plugUid)],
      cluster,
      { origin: madeFor(plugUid), claims, cached: () => undefined },
      never,
    );
  const leaving = [leave("one"), leave("two")];
  permission.resolve();
  expect(await Promise.all(leaving)).toEqual([[], []]);
  expect(cluster.deleted.toSorted()).toEqual(["one", "shared", "two"]);
});

test("H48: an object that another plug still holds is left to that plug", async () => {
  const cluster = new Cluster(["shared"]);
  const claims = new Claims(() => [
    ["one", [entry("shared")]],
    ["two", [entry("shared")]],
  ]);
  const leave = (plugUid: string) =>
    removeObjects([entry("shared")], cluster, { origin: madeFor(plugUid), claims, cached: () => undefined }, never);
  await leave("one");
  expect(cluster.deleted).toEqual([]);
  await leave("two");
  expect(cluster.deleted).toEqual(["shared"]);
});
