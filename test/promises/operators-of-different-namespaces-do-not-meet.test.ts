import { afterAll, beforeAll, expect, test } from "vitest";
import { valueAt } from "#base";
import { conditionOf } from "#coupling";
import { configMapTemplate, useCoupling, useNamespace } from "#harness";
import { type KubeObject, refOf } from "#kube";
import { type ChartOperator, startChartOperator } from "./coupling/chart-operator.ts";

const world = useCoupling();
const { namespace: home } = useNamespace();
const label = `team-${home}`;
const on = (name: string, namespace: string) => ({ socket: { name, namespace } });
const made = { resources: [{ template: configMapTemplate("made-{% .plug.metadata.name %}") }] };
let named = "";
let other = "";
let labelled = "";
let byName: ChartOperator;
let byLabel: ChartOperator;

async function setLabel(namespace: string, value: string | null): Promise<void> {
  const body = { metadata: { labels: { [label]: value } } };
  await world.client.patch({ apiVersion: "v1", kind: "Namespace", name: namespace }, { type: "merge", body });
}

const ref = (kind: "Plug" | "Socket", name: string, namespace: string) => ({ ...world.ref(kind, name), namespace });
const isCoupled = (plug: KubeObject | undefined) => conditionOf(plug, "Coupled")?.["status"] === "True";
const has = (text: string) => (plug: KubeObject | undefined) =>
  String(conditionOf(plug, "Coupled")?.["message"]).includes(text);
const callsAbout = (operator: ChartOperator, namespace: string) =>
  operator.calls.filter((call) => call.includes(`/namespaces/${namespace}/`));

beforeAll(async () => {
  await world.stop();
  named = await world.namespace("named");
  other = await world.namespace("other");
  labelled = await world.namespace("labelled");
  await setLabel(labelled, "yes");
  // Both releases are in one namespace, where their Leases could collide.
  byName = await startChartOperator(world.client, {
    name: "tenon-names",
    namespace: home,
    values: { couple: { namespaces: [named, other] } },
  });
  byLabel = await startChartOperator(world.client, {
    name: "tenon-labels",
    namespace: home,
    values: { crds: { install: false }, couple: { namespaceSelector: `${label}=yes` } },
  });
});

afterAll(async () => {
  for (const operator of [byName, byLabel]) {
    await operator[Symbol.asyncDispose]();
    for (const role of operator.roles) await world.client.delete(refOf(role), {});
  }
  await world.restart(); // to release what is left
});

test("two operators couple in their own namespaces, with rights there only, and neither touches the other's", async () => {
  const pairs = [named, other, labelled] as const;
  for (const namespace of pairs) {
    await world.apply(world.socket("s", made, namespace), world.plug("p", on("s", namespace), namespace));
  }
  for (const namespace of pairs) await world.waitFor(ref("Plug", "p", namespace), isCoupled);
  expect(callsAbout(byName, labelled)).toEqual([]);
  expect([...callsAbout(byLabel, named), ...callsAbout(byLabel, other)]).toEqual([]);
  expect([...byName.refused, ...byLabel.refused]).toEqual([]);
  const leases = await world.client.list({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace: home });
  expect(leases.items.map((lease) => [lease.metadata.name, valueAt(lease, ["spec", "holderIdentity"])])).toEqual([
    ["tenon-labels-couple", "tenon-labels"],
    ["tenon-names-couple", "tenon-names"],
  ]);
});

test("a plug whose socket is in a namespace of another operator says so, and waits for a change", async () => {
  await world.apply(world.plug("astray", on("s", labelled), named));
  const plug = await world.waitFor(
    ref("Plug", "astray", named),
    (found) => conditionOf(found, "Coupled")?.["reason"] === "SocketNotWatched",
  );
  expect(conditionOf(plug, "Coupled")?.["message"]).toMatch(
    new RegExp(`^Socket ${labelled}/s is in a namespace where this operator does not work; `),
  );
  expect(conditionOf(plug, "Stalled")).toMatchObject({ status: "True", reason: "SocketNotWatched" });
});

test("a namespace that gets the label later is worked in; one that loses it is left as it is, with all its objects", async () => {
  const later = await world.namespace("later");
  await world.apply(world.socket("late", made, later), world.plug("late", on("late", later), later));
  await world.apply(world.plug("across", on("late", later), labelled));
  await world.waitFor(ref("Plug", "across", labelled), has("does not work"));
  await setLabel(later, "yes");
  await world.waitFor(ref("Plug", "late", later), isCoupled);
  await world.waitFor(ref("Plug", "across", labelled), isCoupled);

  const kept = ["late", "across"].map((name) => world.ref("ConfigMap", `made-${name}`, later));
  const before = await Promise.all(kept.map((each) => world.client.get(each)));
  const left = await world.client.get(ref("Plug", "late", later));
  await setLabel(later, "no");
  // The plug that stays says that its socket is out of sight, and stays coupled.
  await world.waitFor(ref("Plug", "across", labelled), (plug) => isCoupled(plug) && has("does not work")(plug));
  await world.apply(world.plug("late", { ...on("late", later), config: { a: "new" } }, later));
  // Had the operator still worked there, it would have done so before what it does now.
  await world.apply(world.plug("then", on("s", labelled), labelled));
  await world.waitFor(ref("Plug", "then", labelled), isCoupled);
  const after = await Promise.all(kept.map((each) => world.client.get(each)));
  expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  const untouched = await world.client.get(ref("Plug", "late", later));
  expect(untouched.metadata.finalizers).toEqual(left.metadata.finalizers);
  expect(valueAt(untouched, ["status", "observedGeneration"])).toBe(left.metadata.generation);

  await setLabel(later, "yes");
  await world.waitFor(
    ref("Plug", "late", later),
    (plug) => isCoupled(plug) && valueAt(plug, ["status", "observedGeneration"]) === plug?.metadata.generation,
  );
  await world.client.delete(ref("Plug", "across", labelled));
  await world.waitUntilDeleted(ref("Plug", "across", labelled));
  await world.waitFor(kept[1] ?? world.ref("ConfigMap", "", later), (found) => found === undefined);
  expect([...byName.refused, ...byLabel.refused]).toEqual([]);
});
