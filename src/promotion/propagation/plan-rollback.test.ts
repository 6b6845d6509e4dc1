import { describe, expect, test } from "vitest";
import type { Propagation, StageStatus } from "../kinds/propagation.ts";
import { planRollback } from "./plan-rollback.ts";

const digest = (hex: string) => `sha256:${hex.repeat(64)}`;
const [web, api] = ["reg/web:released", "reg/api:released"];
const has = (webDigest: string, apiDigest: string) => ({
  digests: { [web]: digest(webDigest), [api]: digest(apiDigest) },
  since: "2026-01-01T00:00:00Z",
});

function plan(status: Partial<StageStatus>, spec: object = {}) {
  const forge = { kind: "plain" } as const;
  const stage = { name: "stage", repository: "https://git.example/a/b", branch: "main", forge, ...spec };
  const known: StageStatus = { name: "stage", state: "UpToDate", since: "", proposals: [], ...status };
  const propagation: Propagation = {
    apiVersion: "tenon.dev/v1alpha1",
    kind: "Propagation",
    metadata: { name: "shop", namespace: "shop" },
    spec: {
      source: { images: [web, api].map((name) => ({ repository: name.split(":")[0] ?? "", tag: "released" })) },
      stages: [stage],
    },
    status: { stages: [known] },
  };
  const { rollback, isAsked } = planRollback(propagation, undefined);
  return { isAsked, rollback: rollback.map(({ image, from, to }) => `${image} ${from.at(-1)} ${to.at(-1)}`) };
}

describe("planRollback", () => {
  test("only images that had another digest go back", () => {
    expect(plan({ target: has("2", "1"), merged: has("2", "1"), history: [has("1", "1")] })).toEqual({
      isAsked: false,
      rollback: [`${web} 2 1`],
    });
  });

  test("what is proposed and not merged yet does not come back either", () => {
    expect(plan({ target: has("3", "1"), merged: has("2", "1"), history: [has("1", "1")] }).rollback).toEqual([
      `${web} 3 1`,
    ]);
  });

  test("a second rollback keeps images where the first took them", () => {
    const rollback = { images: [{ image: api, from: digest("2"), to: digest("1") }] };
    const history = [{ ...has("2", "2"), rolledBack: true }, has("2", "1"), has("1", "1")];
    const status = { target: has("2", "1"), merged: has("2", "1"), history, rollback };
    expect(plan(status, { rollback }).rollback).toEqual([`${web} 2 1`, `${api} 2 1`]);
  });

  test("digests that were rolled back are passed over, also where they were merged first", () => {
    const history = [{ ...has("2", "1"), rolledBack: true }, has("3", "1"), has("2", "1"), has("0", "1")];
    expect(plan({ target: has("3", "1"), merged: has("3", "1"), history }).rollback).toEqual([`${web} 3 0`]);
  });

  test("a rollback that was asked for differs from one that has ended", () => {
    const images = [{ image: web, from: digest("2"), to: digest("1") }];
    const status = { target: has("2", "1"), merged: has("2", "1"), history: [has("1", "1")] };
    expect(plan(status, { rollback: { images } }).isAsked).toBe(true);
    const ended = { images: images.map((entry) => ({ ...entry, ended: "2026-01-01T00:00:00Z" })) };
    expect(plan({ ...status, rollback: ended }, { rollback: { images } }).isAsked).toBe(false);
  });
});
