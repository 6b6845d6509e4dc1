import { describe, expect, test } from "vitest";
import { defaultUpstream } from "../manager-defaults.ts";
import type { RememberedNamespace } from "./remembered-namespaces.ts";
import { sampleDesired, sampleGroup, sampleNamespace } from "../desired/sample-desired.fixture.ts";
import { type RunFilter, surveyNamespaces } from "./survey-namespaces.ts";

const desired = sampleDesired([sampleGroup(sampleNamespace("c1/a@stage")), sampleGroup(sampleNamespace("c2/b@prod"))]);

function remembered(target: string, caller = defaultUpstream): RememberedNamespace {
  const { cluster, name: namespace, environment } = sampleNamespace(target);
  const { name, serverUrl } = cluster;
  return { cluster: { name, serverUrl }, namespace, environment: environment.name, caller, kinds: ["ConfigMap"] };
}

function targets(narrowing: RunFilter, memory: readonly RememberedNamespace[] = []): string[] {
  return surveyNamespaces(desired, memory, narrowing).namespaces.map(
    ({ cluster, namespace, isOrphan }) => `${cluster.name}/${namespace}${isOrphan ? " left" : ""}`,
  );
}

describe("where a run looks", () => {
  test.each([
    { reason: "everywhere", narrowing: {}, looks: ["c1/a", "c2/b"] },
    { reason: "an empty environment is none", narrowing: { environment: "" }, looks: ["c1/a", "c2/b"] },
    { reason: "one environment", narrowing: { environment: "prod" }, looks: ["c2/b"] },
    { reason: "one cluster", narrowing: { cluster: ["c1"] }, looks: ["c1/a"] },
    { reason: "one namespace", narrowing: { namespace: ["b"] }, looks: ["c2/b"] },
    { reason: "one target", narrowing: { only: new Set(["c2/b"]) }, looks: ["c2/b"] },
  ])("$reason", ({ narrowing, looks }) => {
    expect(targets(narrowing)).toEqual(looks);
  });

  test.each([
    { reason: "it was there once", narrowing: {}, memory: remembered("c1/x@stage"), looks: true },
    {
      reason: "in another environment",
      narrowing: { environment: "prod" },
      memory: remembered("c1/x@stage"),
      looks: false,
    },
    {
      reason: "in this environment",
      narrowing: { environment: "stage" },
      memory: remembered("c1/x@stage"),
      looks: true,
    },
    { reason: "on another cluster", narrowing: { cluster: ["c2"] }, memory: remembered("c1/x"), looks: false },
    { reason: "of another name", narrowing: { namespace: ["a"] }, memory: remembered("c1/x"), looks: false },
    { reason: "of this name", narrowing: { namespace: ["x"] }, memory: remembered("c1/x"), looks: true },
    { reason: "of another upstream", narrowing: { upstream: "a" }, memory: remembered("c1/x", "b"), looks: false },
    { reason: "of this upstream", narrowing: { upstream: "b" }, memory: remembered("c1/x", "b"), looks: true },
    { reason: "of any upstream, when none is given", narrowing: {}, memory: remembered("c1/x", "b"), looks: true },
  ])(
    "D-53: a run includes a remembered namespace that the data no longer names: $reason",
    ({ narrowing, memory, looks }) => {
      expect(targets(narrowing, [memory]).includes("c1/x left")).toBe(looks);
    },
  );

  test.each([
    { reason: "it runs there", integration: "a", ran: undefined, looks: ["c1/a"] },
    { reason: "it has run there", integration: "a", ran: ["a", "b"], looks: ["c1/a", "c2/b"] },
    { reason: "others have run there", integration: "a", ran: ["b"], looks: ["c1/a"] },
  ])("a run for one integration looks at namespaces where $reason, and at no others", ({ integration, ran, looks }) => {
    const running = new Set([sampleNamespace("c1/a@stage").path]);
    const memory = ran ? [{ ...remembered("c2/b@prod"), integrations: ran }] : [];
    const { namespaces } = surveyNamespaces({ ...desired, running }, memory, { integration: [integration] });
    expect(namespaces.map(({ cluster, namespace }) => `${cluster.name}/${namespace}`)).toEqual(looks);
  });

  test("a run for one integration looks where the memory does not know what has run", () => {
    const running = new Set([sampleNamespace("c1/a@stage").path]);
    const memory = [remembered("c2/b@prod"), remembered("c1/x@stage")];
    const { namespaces } = surveyNamespaces({ ...desired, running }, memory, { integration: ["a"] });
    expect(namespaces.map(({ cluster, namespace }) => `${cluster.name}/${namespace}`)).toEqual([
      "c1/a",
      "c2/b",
      "c1/x",
    ]);
  });

  test("a namespace that moved to another environment is not an orphan: another manager manages it", () => {
    expect(targets({ environment: "stage" }, [remembered("c2/b@stage")])).toEqual(["c1/a"]);
  });

  test("a namespace that is marked for deletion is neither looked at nor taken for left behind", () => {
    const leaving = sampleNamespace("c1/a", { delete: true });
    const survey = surveyNamespaces(sampleDesired([sampleGroup(leaving)]), [remembered("c1/a")], {});
    expect(survey).toEqual({ namespaces: [], markedForDeletion: [leaving] });
  });

  test("D-27: the managed kinds are the four defaults, all rendered kinds and all remembered kinds, or the given ones", () => {
    const groups = [
      { ...sampleGroup(sampleNamespace("c1/a")), kinds: ["Secret"] },
      sampleGroup(sampleNamespace("c1/x")),
    ];
    const kindsOf = (managed?: readonly string[]) =>
      surveyNamespaces(sampleDesired(groups), [remembered("c1/x")], {}, managed).namespaces.map(({ kinds }) => kinds);
    const four = ["Deployment", "StatefulSet", "CronJob", "Service"];
    expect(kindsOf()).toEqual([
      [...four, "Secret"],
      [...four, "Secret", "ConfigMap"],
    ]);
    expect(kindsOf(["Job.batch"])).toEqual([["Job.batch"], ["Job.batch"]]);
  });

  test("what is remembered of a cluster is enough to reach it, and holds the token that counts", () => {
    const namespace = sampleNamespace("c1/a");
    const secret = { path: "new", field: "token" };
    const cluster = { ...namespace.cluster, automationTokens: [{ active: true, delete: false, secret }] };
    const [found] = surveyNamespaces(sampleDesired([sampleGroup({ ...namespace, cluster })]), [], {}).namespaces;
    expect(found?.memory.cluster).toEqual({ name: "c1", serverUrl: "https://c1.example", automationToken: secret });
  });
});
