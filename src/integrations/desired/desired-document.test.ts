import { describe, expect, test } from "vitest";
import { changedNamespaces, desiredDocument } from "./desired-document.ts";
import { sampleDesired, sampleGroup, sampleNamespace, sampleResource } from "./sample-desired.fixture.ts";

const [one, two] = [sampleNamespace("c1/a"), sampleNamespace("c1/b")];
const entry = (value: string) => ({ value, source: "environment", isDeclared: true, overrode: [] }) as const;
const base = desiredDocument(
  sampleDesired([
    sampleGroup(one, [sampleResource("y"), sampleResource("x")]),
    sampleGroup(two, [sampleResource("z")]),
  ]),
);

describe("E-23: the desired-state document lists what should run, in a stable form", () => {
  test("has kind, name and hash of each object, sorted, and the parameters that count", () => {
    const parameters = new Map([["IMAGE_TAG", entry("1")]]);
    const group = { ...sampleGroup(one, [sampleResource("y"), sampleResource("x")]), parameters };
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(desiredDocument(sampleDesired([group]))).toEqual({
      "c1/a": {
        objects: [
          ["Deployment.apps", "x", sha256],
          ["Deployment.apps", "y", sha256],
        ],
        parameters: { IMAGE_TAG: "1" },
        suspended: [],
      },
    });
  });

  test.each([
    {
      reason: "E-21: the document does not depend on the order of the data",
      groups: [sampleGroup(two, [sampleResource("z")]), sampleGroup(one, [sampleResource("x"), sampleResource("y")])],
      changed: [],
    },
    {
      reason: "a desired object differs",
      groups: [
        sampleGroup(one, [sampleResource("x"), sampleResource("y", "y", { replicas: 2 })]),
        sampleGroup(two, [sampleResource("z")]),
      ],
      changed: ["c1/a"],
    },
    {
      reason: "a namespace is gone",
      groups: [sampleGroup(one, [sampleResource("x"), sampleResource("y")])],
      changed: ["c1/b"],
    },
    {
      reason: "a parameter has another value, even if nothing shows it",
      groups: [
        { ...sampleGroup(one, [sampleResource("x"), sampleResource("y")]), parameters: new Map([["P", entry("2")]]) },
        sampleGroup(two, [sampleResource("z")]),
      ],
      changed: ["c1/a"],
    },
  ])("$reason", ({ groups, changed }) => {
    expect([...changedNamespaces(base, desiredDocument(sampleDesired(groups)))]).toEqual(changed);
  });

  test("an integration that is suspended or resumed changes the namespaces that it runs in", () => {
    const groups = [
      sampleGroup(one, [sampleResource("y"), sampleResource("x")]),
      sampleGroup(two, [sampleResource("z")]),
    ];
    const suspensions = [{ integration: "z", reason: "frozen", where: "z.yml" }];
    const suspended = desiredDocument(sampleDesired(groups, { suspensions }));
    expect([...changedNamespaces(base, suspended)]).toEqual(["c1/b"]);
    const elsewhere = [
      { integration: "z", target: { cluster: "c2", namespace: "b" }, reason: "frozen", where: "z.yml" },
    ];
    expect([...changedNamespaces(base, desiredDocument(sampleDesired(groups, { suspensions: elsewhere })))]).toEqual(
      [],
    );
  });
});
