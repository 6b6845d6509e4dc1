import { describe, expect, test } from "vitest";
import { valueAt } from "#base";
import { samplePair } from "../../kinds/sample-pair.fixture.ts";
import { candidateNames, podOf, serviceOf, specHashOf } from "./pod-objects.ts";

const main = { name: "main", image: "i", ports: [{ name: "container", containerPort: 3000 }] };
const plugWith = (apparatus: object, more: object = {}) => samplePair({ apparatus, ...more }).plug;

test("H84: an apparatus' Service and pod have the names, labels, ports and owner that users rely on", () => {
  const plug = plugWith({ containers: [main], endpoint: "/plug", idleTimeout: 5 });
  const labels = { apparatus: "p-apparatus", "integration.rock8s.com/apparatus-uid": "plug-uid" };
  const ownerReferences = [{ apiVersion: "integration.rock8s.com/v1beta1", kind: "Plug", name: "p", uid: "plug-uid" }];
  expect(serviceOf(plug, "p-apparatus")).toEqual({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "p-apparatus", namespace: "app", labels, ownerReferences },
    spec: {
      type: "ClusterIP",
      selector: labels,
      ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: "container" }],
    },
  });
  const pod = podOf(plug, "p-apparatus", 0);
  expect(pod).toMatchObject({
    metadata: {
      name: "p-apparatus",
      namespace: "app",
      labels,
      ownerReferences,
      annotations: {
        "sidecar.istio.io/inject": "false",
        "integration.rock8s.com/last-used": "1970-01-01T00:00:00.000Z",
        "integration.rock8s.com/apparatus-spec": specHashOf(plug),
      },
    },
    spec: { serviceAccountName: "default", containers: [main] },
  });
  expect(Object.keys(Object(pod["spec"])).toSorted()).toEqual(["containers", "securityContext", "serviceAccountName"]);
});

describe("a pod", () => {
  test("is restricted by default", () => {
    const { spec } = podOf(plugWith({ containers: [main], initContainers: [{ name: "init" }] }), "x", 0);
    const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
    expect(spec).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [{ name: "main", securityContext }],
      initContainers: [{ name: "init", securityContext }],
    });
  });

  test.for([
    { context: { allowPrivilegeEscalation: true }, escalation: true, reason: "escalation" },
    { context: { capabilities: { add: ["NET_ADMIN"] } }, escalation: false, reason: "capabilities" },
    { context: { privileged: true }, escalation: undefined, reason: "everything" },
    { context: { capabilities: { add: ["SYS_ADMIN"] } }, escalation: undefined, reason: "almost everything" },
  ])("is as its author says: $reason", ({ context, escalation }) => {
    const { spec } = podOf(plugWith({ containers: [{ ...main, securityContext: context }] }), "x", 0);
    expect(valueAt(spec, ["containers", 0, "securityContext"])).toMatchObject(context);
    expect(valueAt(spec, ["containers", 0, "securityContext", "allowPrivilegeEscalation"])).toBe(escalation);
  });

  test("may run as root if its author says so", () => {
    const securityContext = { runAsNonRoot: false, runAsUser: 0 };
    const { spec } = podOf(plugWith({ containers: [main], securityContext }), "x", 0);
    expect(valueAt(spec, ["securityContext"])).toEqual({
      ...securityContext,
      seccompProfile: { type: "RuntimeDefault" },
    });
  });

  test("has every other field of a pod as its author wrote it", () => {
    const fields = { volumes: [{ name: "v", emptyDir: {} }], nodeSelector: { a: "b" }, restartPolicy: "OnFailure" };
    expect(podOf(plugWith({ containers: [main], ...fields }), "x", 0)["spec"]).toMatchObject(fields);
  });

  test("runs only as the service account of its object", () => {
    const named = { serviceAccountName: "web" };
    expect(podOf(plugWith({ containers: [main], ...named }, named), "x", 0)["spec"]).toMatchObject(named);
    for (const field of ["serviceAccountName", "serviceAccount"]) {
      expect(() => podOf(plugWith({ containers: [main], [field]: "admin" }), "x", 0)).toThrow(
        /spec\.apparatus\.serviceAccount.*expected service account default/,
      );
    }
  });

  test("needs a port named container", () => {
    expect(() => podOf(plugWith({ containers: [{ name: "main" }] }), "x", 0)).toThrow(/port named container/);
  });

  test("is replaced when its spec changes, and not when only the endpoint changes", () => {
    const hash = specHashOf(plugWith({ containers: [main] }));
    expect(specHashOf(plugWith({ containers: [main], endpoint: "/x", idleTimeout: 9 }))).toBe(hash);
    expect(specHashOf(plugWith({ containers: [{ ...main, image: "j" }] }))).not.toBe(hash);
  });
});

test.for([
  { name: "x", names: ["x-apparatus", "x-plug-apparatus", "apparatus-plug-uid"], reason: "an ordinary name" },
  { name: "x.y", names: ["apparatus-plug-uid"], reason: "a dot, which no Service may have" },
  { name: "1st", names: ["apparatus-plug-uid"], reason: "a digit at the beginning" },
  { name: "a".repeat(55), names: ["apparatus-plug-uid"], reason: "too long" },
])("candidate names: $reason", ({ name, names }) => {
  const { plug } = samplePair();
  expect(candidateNames({ ...plug, metadata: { ...plug.metadata, name } })).toEqual(names);
});
