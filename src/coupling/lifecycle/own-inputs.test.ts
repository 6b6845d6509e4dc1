import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { type CouplingEntry, couplingFieldManager, labels } from "../kinds/index.ts";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { Claims } from "../resources/inventory-entries.ts";
import { listSources } from "../sources/read-sources.ts";
import { findOwnInputs, type WriterDeps } from "./own-inputs.ts";

/** Names of ConfigMaps in the namespace `app`. */
interface SampleCoupling {
  readonly writes?: readonly string[];
  readonly reads?: readonly string[];
}

function madeByPlug(name: string): CouplingEntry {
  return { group: "", version: "v1", kind: "ConfigMap", namespace: "app", name, side: "plug", stage: "coupled" };
}

function plugOf(uid: string): KubeObject {
  return { apiVersion: "", kind: "Plug", metadata: { namespace: "app", name: uid, uid } };
}

/** Couplings by the uid of their plug. */
function writersAmong(couplings: Readonly<Record<string, SampleCoupling>>, secret?: KubeObject): WriterDeps {
  const claims = new Claims();
  for (const [uid, { writes = [] }] of Object.entries(couplings)) {
    claims.set(uid, writes.map(madeByPlug));
  }
  const readsOf = (key: string) => couplings[key.slice("app/".length)]?.reads ?? [];
  return {
    claims,
    cluster: {
      plugs: { get: () => plugOf("plug-uid"), byIndex: (_, uid) => (couplings[uid] ? [plugOf(uid)] : []) },
      metadataStores: { Secret: { get: () => secret } },
    },
    inputs: {
      watches: {
        readingsOf: (key) =>
          readsOf(key).map((name) => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "app", name })),
      },
    },
  };
}

function ownInputs(spec: object, deps: WriterDeps, workloads: readonly { kind: "Deployment"; name: string }[] = []) {
  const pair = samplePair(spec);
  const memory = { workloads: workloads.map((each) => ({ ...each, hash: "", since: "" })) };
  return findOwnInputs(listSources(pair), { pair, memory }, deps).map(({ message }) => message);
}

const reading = (...names: readonly string[]) => ({
  vars: names.map((name) => ({ name: `of-${name}`, objref: { apiVersion: "v1", kind: "ConfigMap", name } })),
});

test("an input that the coupling writes is named with its var, its field and its object", () => {
  const spec = reading("foreign", "made");
  expect(ownInputs(spec, writersAmong({ "plug-uid": { writes: ["made"] } }))).toEqual([
    "var of-made (spec.vars[1]) of Plug app/p reads ConfigMap app/made, which this coupling writes",
  ]);
  expect(ownInputs(spec, writersAmong({}))).toEqual([]);
});

test("the Secret with the results, the plug itself and a workload with the binding are written by the coupling, too", () => {
  const mark = { [labels.managedBy]: couplingFieldManager, [labels.plugUid]: "plug-uid" };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "binding", namespace: "app", labels: mark } };
  const says = expect.stringContaining("which this coupling writes");
  expect(ownInputs({ configSecretName: "binding" }, writersAmong({}, secret))).toEqual([
    "spec.configSecretName of Plug app/p reads Secret app/binding, which this coupling writes",
  ]);
  const itself = { apiVersion: "integration.rock8s.com/v1beta1", kind: "Plug", name: "p" };
  expect(ownInputs({ vars: [{ name: "a", objref: itself }] }, writersAmong({}))).toEqual([says]);
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  const ofDeployment = { vars: [{ name: "a", objref: deployment }] };
  expect(ownInputs(ofDeployment, writersAmong({}), [{ kind: "Deployment", name: "web" }])).toEqual([says]);
  expect(ownInputs(ofDeployment, writersAmong({}))).toEqual([]);
});

test("couplings that read each other's objects in a circle cause each other's updates, and those in a row do not", () => {
  const circle = {
    "plug-uid": { writes: ["first"] },
    second: { reads: ["first", "second"], writes: ["second"] },
    third: { reads: ["second"], writes: ["third"] },
  };
  expect(ownInputs(reading("third"), writersAmong(circle))).toEqual([
    "var of-third (spec.vars[0]) of Plug app/p reads ConfigMap app/third, which another coupling writes that reads what this one writes",
  ]);
  const row = { ...circle, second: { reads: ["foreign"], writes: ["second"] } };
  expect(ownInputs(reading("third"), writersAmong(row))).toEqual([]);
});
