import { expect, test } from "vitest";
import { formatFieldPath } from "#base";
import { compareObjects } from "./compare-objects.ts";
import { findImmutable } from "./find-immutable.ts";
import type { ExactMap } from "../object/exact.ts";
import { ManagedObject } from "../object/managed-object.ts";

function objectOf(kind: string, fields: ExactMap): ManagedObject {
  const body = { apiVersion: "x/v1", kind, metadata: { name: "a" }, ...fields };
  return new ManagedObject({ body, integration: "i", integrationVersion: "0.1.0", skipValidation: true });
}

const labels = (app: string) => ({ matchLabels: { app } });
const claim = (name: string, storage: string) => ({
  metadata: { name },
  spec: { resources: { requests: { storage } } },
});

interface Change {
  readonly reason: string;
  readonly kind: string;
  readonly before: ExactMap;
  readonly after: ExactMap;
  /** The field that cannot be changed; `undefined` if all can. */
  readonly field: string | undefined;
}

const rows: readonly Change[] = [
  {
    reason: "another selector of a Deployment",
    kind: "Deployment",
    before: { spec: { selector: labels("a") } },
    after: { spec: { selector: labels("b") } },
    field: "spec.selector.matchLabels.app",
  },
  {
    reason: "a selector with fewer labels, which an apply replaces as a whole",
    kind: "Deployment",
    before: { spec: { selector: { matchLabels: { app: "a", release: "r" } } } },
    after: { spec: { selector: labels("a") } },
    field: "spec.selector",
  },
  {
    reason: "other replicas of a Deployment, and an empty list that the server leaves out",
    kind: "Deployment",
    before: { spec: { replicas: 1, selector: labels("a") } },
    after: { spec: { replicas: 2, selector: { ...labels("a"), matchExpressions: [] } } },
    field: undefined,
  },
  {
    reason: "more storage of a StatefulSet",
    kind: "StatefulSet",
    before: { spec: { volumeClaimTemplates: [claim("data", "1Gi")] } },
    after: { spec: { volumeClaimTemplates: [claim("data", "2Gi")] } },
    field: "spec.volumeClaimTemplates[0].spec.resources.requests.storage",
  },
  {
    reason: "fewer claims of a StatefulSet",
    kind: "StatefulSet",
    before: { spec: { volumeClaimTemplates: [claim("data", "1Gi"), claim("more", "1Gi")] } },
    after: { spec: { volumeClaimTemplates: [claim("data", "1Gi")] } },
    field: "spec.volumeClaimTemplates",
  },
  {
    reason: "another template of a StatefulSet",
    kind: "StatefulSet",
    before: { spec: { replicas: 2, template: { spec: { hostNetwork: true } } } },
    after: { spec: { replicas: 2, template: { spec: { hostNetwork: false } } } },
    field: undefined,
  },
  {
    reason: "another template of a Job",
    kind: "Job",
    before: { spec: { suspend: true, template: { spec: { nodeName: "a" } } } },
    after: { spec: { suspend: true, template: { spec: { nodeName: "b" } } } },
    field: "spec.template.spec.nodeName",
  },
  {
    reason: "another address of a Service",
    kind: "Service",
    before: { spec: { clusterIP: "10.0.0.1" } },
    after: { spec: { clusterIP: "None" } },
    field: "spec.clusterIP",
  },
  {
    reason: "another port of a Service, whose address the server chose",
    kind: "Service",
    before: { spec: { clusterIP: "10.0.0.1", ports: [{ port: 80 }] } },
    after: { spec: { ports: [{ port: 81 }] } },
    field: undefined,
  },
  {
    reason: "another type of a Secret",
    kind: "Secret",
    before: { type: "Opaque", data: { a: "YQ==" } },
    after: { type: "kubernetes.io/tls", data: { a: "YQ==" } },
    field: "type",
  },
  {
    reason: "another selector of a DaemonSet, which then fails",
    kind: "DaemonSet",
    before: { spec: { selector: labels("a") } },
    after: { spec: { selector: labels("b") } },
    field: undefined,
  },
];

function findIn({ kind, before, after }: Change) {
  const { changes } = compareObjects(objectOf(kind, after), objectOf(kind, before));
  return { paths: changes.map(({ path }) => formatFieldPath(path)), immutable: findImmutable(kind, changes) };
}

test.each(rows.filter(({ field }) => field !== undefined))("an object is replaced: $reason", (row) => {
  expect(findIn(row)).toEqual({ paths: [row.field], immutable: row.field });
});

test.each(rows.filter(({ field }) => field === undefined))("an object is updated: $reason", (row) => {
  expect(findIn(row)).toEqual({ paths: [expect.anything()], immutable: undefined });
});
