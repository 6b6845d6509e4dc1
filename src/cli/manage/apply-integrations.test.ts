import { expect, test } from "vitest";
import type { OutcomeState } from "#inventory";
import { countOutcomes } from "./apply-integrations.ts";

function count(text: string, isStopped: boolean): string {
  const states: readonly OutcomeState[] = ["done", "skipped", "failed", "refused", "planned"];
  return countOutcomes(
    Array.from(text, (letter) => ({ state: states.find((state) => state.startsWith(letter)) ?? "planned" })),
    isStopped,
  );
}

test.each([
  { reason: "everything is done", states: "dd", isStopped: false, text: "" },
  {
    reason: "one failed, the rest is done",
    states: "ddf",
    isStopped: false,
    text: "2 of 3 changes are done, 1 failed",
  },
  {
    reason: "one was refused, and so another not tried",
    states: "drs",
    isStopped: false,
    text: "1 of 3 changes are done, 1 skipped, 1 failed",
  },
  {
    reason: "stopped in the middle",
    states: "ddsss",
    isStopped: true,
    text: "stopped: 2 of 5 changes are done, 3 skipped",
  },
  { reason: "stopped at the end", states: "dd", isStopped: true, text: "stopped: 2 of 2 changes are done" },
])("the sum after applying is true when $reason", ({ states, isStopped, text }) => {
  expect(count(states, isStopped)).toBe(text);
});
