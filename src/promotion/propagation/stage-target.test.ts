import { describe, expect, test } from "vitest";
import type { PropagationStage, StageStatus } from "../kinds/propagation.ts";
import { decideTarget } from "./stage-target.ts";

const d1 = `sha256:${"1".repeat(64)}`;
const d2 = `sha256:${"2".repeat(64)}`;
const name = "reg/web:released";
const advertised = [{ repository: "reg/web", tag: "released", digest: d2 }];
const forge = { kind: "plain" } as const;
const stage: PropagationStage = { name: "stage", repository: "https://git.example/a/b", branch: "main", forge };
const health = [{ apiVersion: "apps/v1", kind: "Deployment", name: "web" }];
const production = { ...stage, name: "production", after: { stage: "stage", soak: "30m" } };
const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`;
const has = (digest: string, minute: number) => ({ digests: { [name]: digest }, since: at(minute) });
const idle: StageStatus = { name: "stage", state: "UpToDate", since: at(0), proposals: [] };
const healthy: StageStatus = {
  ...idle,
  target: has(d2, 0),
  merged: has(d2, 1),
  running: has(d2, 5),
  health: { state: "Healthy", since: at(5) },
};

function decide(status: StageStatus | undefined, upstream: PropagationStage, minute: number, before = d1) {
  const now = Date.parse(at(minute));
  const { images, gate } = decideTarget({
    stage: production,
    advertised,
    before: { target: has(before, 0) },
    upstream: { stage: upstream, status },
    now,
  });
  return { digest: images?.[0]?.digest, gate: gate.kind, message: "message" in gate ? gate.message : undefined };
}

describe("decideTarget", () => {
  test("a stage without `after` gets what the tags have", () => {
    expect(decideTarget({ stage, advertised, before: undefined, upstream: undefined, now: 0 })).toEqual({
      images: advertised,
      gate: { kind: "open" },
      rollback: undefined,
      isRollback: false,
    });
  });

  test.each([
    { reason: "the stage before has merged nothing", status: idle, minute: 59, digest: d1, gate: "waiting" },
    {
      reason: "it does not run what it merged yet",
      status: { ...healthy, running: has(d1, 0) },
      minute: 59,
      digest: d1,
      gate: "waiting",
    },
    { reason: "it soaks", status: healthy, minute: 34, digest: d1, gate: "waiting" },
    { reason: "it has soaked", status: healthy, minute: 35, digest: d2, gate: "open" },
    {
      reason: "it was red in between, so that it soaks anew",
      status: { ...healthy, health: { state: "Healthy", since: at(20) } },
      minute: 35,
      digest: d1,
      gate: "waiting",
    },
  ] as const)("a stage waits for the one before it: $reason", ({ status, minute, digest, gate }) => {
    expect(decide(status, { ...stage, health }, minute)).toMatchObject({ digest, gate });
  });

  test("P69: a red stage holds the next, and the message says which object", () => {
    const red = { ...healthy, health: { state: "Red", since: at(6), message: "Deployment web: it crashes" } } as const;
    expect(decide(red, { ...stage, health }, 59)).toEqual({
      digest: d1,
      gate: "held",
      message: "stage stage is red: Deployment web: it crashes; repair it, or roll it back",
    });
  });

  test("P69: a stage that is rolled back gets the digest before, until the tag moves on, and holds the next", () => {
    const rolled = { ...stage, rollback: { images: [{ image: name, from: d2, to: d1 }] } };
    const facts = { stage: rolled, before: undefined, upstream: undefined, now: 0 };
    expect(decideTarget({ ...facts, advertised })).toMatchObject({ images: [{ digest: d1 }], isRollback: true });
    const newer = [{ repository: "reg/web", tag: "released", digest: `sha256:${"3".repeat(64)}` }];
    expect(decideTarget({ ...facts, advertised: newer })).toMatchObject({ images: newer, isRollback: false });
    const { rollback } = rolled;
    expect(decide({ ...healthy, target: has(d1, 0), rollback }, rolled, 59)).toMatchObject({ gate: "held" });
  });

  test("a rollback that a newer digest has ended stays ended when the tag goes back, until it is asked for anew", () => {
    const asked = (minute: number) => ({
      ...stage,
      rollback: { at: at(minute), images: [{ image: name, from: d2, to: d1 }] },
    });
    const facts = { stage: asked(1), upstream: undefined, now: Date.parse(at(9)) };
    const newer = [{ repository: "reg/web", tag: "released", digest: `sha256:${"3".repeat(64)}` }];
    const { rollback } = decideTarget({ ...facts, before: undefined, advertised: newer });
    expect(rollback?.images).toMatchObject([{ ended: at(9) }]);
    const before = rollback && { rollback };
    expect(decideTarget({ ...facts, before, advertised })).toMatchObject({ images: advertised, isRollback: false });
    const anew = decideTarget({ ...facts, stage: asked(2), before, advertised });
    expect(anew).toMatchObject({ images: [{ digest: d1 }], isRollback: true });
  });

  test("without `health`, what is merged counts and soaks", () => {
    expect(decide({ ...idle, merged: has(d2, 1) }, stage, 30)).toMatchObject({ digest: d1, gate: "waiting" });
    expect(decide({ ...idle, merged: has(d2, 1) }, stage, 31)).toMatchObject({ digest: d2, gate: "open" });
  });
});
