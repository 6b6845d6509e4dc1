import { expect, test } from "vitest";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { findOwnInputs, UpdateLoop } from "./update-loop.ts";

test("updates that cause each other wait longer and longer, up to five minutes, until one of them settles", () => {
  const clock = new FakeClock();
  const loop = new UpdateLoop(clock);
  const rests = Array.from({ length: 14 }, () => {
    const { restMs } = loop;
    loop.note();
    return restMs;
  });
  expect(rests.slice(0, 6)).toEqual([0, 0, 0, 1_000, 2_000, 4_000]);
  expect(rests.at(-1)).toBe(300_000);
  loop.end();
  expect(loop.restMs).toBe(0);
});

test("an input that the coupling writes is named with its var, its field and its object", () => {
  const vars = [
    { name: "other", objref: { apiVersion: "v1", kind: "ConfigMap", name: "foreign" } },
    { name: "state", objref: { apiVersion: "v1", kind: "ConfigMap", name: "made" } },
  ];
  const pair = samplePair({ vars }, {});
  const namespace = pair.plug.metadata.namespace ?? "";
  const made = { group: "", version: "v1", kind: "ConfigMap", namespace, name: "made", side: "plug", stage: "coupled" };
  expect(findOwnInputs(pair, [{ ...made, side: "plug", stage: "coupled" }])).toEqual([
    expect.stringMatching(
      /^var state \(spec\.vars\[1\]\) of Plug .* reads ConfigMap .*\/made, which this coupling writes$/,
    ),
  ]);
  expect(findOwnInputs(pair, [])).toEqual([]);
});
