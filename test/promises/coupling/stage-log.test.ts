import { expect, test } from "vitest";
import { type HalfMark, killed, type Mark, misorders } from "./stage-log.ts";

/** Like `coupled plug a`, with the config that the call carries at the end: `updated plug a 2`. */
function halfOf(words: string): HalfMark {
  const [stage = "", side = "", socket, told = "1"] = words.split(" ");
  const plug = socket !== undefined && side === "socket" && stage === "deleted" ? undefined : "p";
  return { mark: "begins", stage, side, plug, socket, told };
}

/** Each begins and ends before the next; `…` after a half: it does not end; `kill`: the operator is killed. */
function logOf(texts: readonly string[]): Mark[] {
  return texts.flatMap((text): Mark[] => {
    if (text === "kill") return [killed];
    const half = halfOf(text.replace("…", ""));
    return text.endsWith("…") ? [half] : [half, { ...half, mark: "ends" }];
  });
}

const coupled = ["created plug", "coupled plug a", "coupled socket a"];
const left = ["decoupled plug a", "decoupled socket a"];

test.each([
  { reason: "a whole life", log: [...coupled, "updated plug a 2", "updated socket a 2", ...left, "deleted plug a"] },
  { reason: "a move", log: [...coupled, ...left, "coupled plug b", "coupled socket b"] },
  { reason: "there and back", log: [...coupled, ...left, ...coupled.slice(1), ...left, "deleted plug a"] },
  { reason: "never coupled", log: ["created plug", "deleted plug"] },
  { reason: "the socket has gone already", log: [...coupled, "decoupled plug a", "deleted plug a"] },
  { reason: "the socket goes after its plugs", log: [...coupled, ...left, "deleted socket a"] },
  {
    reason: "killed in a half, which is repeated",
    log: ["created plug", "coupled plug a…", "kill", ...coupled.slice(1)],
  },
  { reason: "killed between the halves", log: [...coupled.slice(0, 2), "kill", "coupled socket a"] },
  { reason: "killed before what was done was known", log: [...coupled, "kill", ...coupled.slice(1)] },
  { reason: "killed before coupled has begun", log: ["created plug", "kill", ...left, "deleted plug a"] },
  { reason: "killed before it could be released", log: [...coupled, ...left, "deleted plug", "kill", ...left] },
])("in order: $reason", ({ log }) => {
  expect(misorders(logOf(log))).toEqual([]);
});

test.each([
  { wrong: "begins before the last has ended", log: ["created plug", "coupled plug a…", "coupled socket a"] },
  { wrong: "begins before the last has ended", log: [...coupled.slice(0, 2), "coupled socket a…", "updated plug a 2"] },
  { wrong: "run twice", log: ["created plug", "created plug"] },
  { wrong: "run twice", log: [...coupled, "updated plug a 2", "updated plug a 2"] },
  { wrong: "coupled again", log: [...coupled, ...coupled.slice(1)] },
  { wrong: "coupled without leaving", log: [...coupled, "coupled plug b"] },
  { wrong: "coupled without leaving", log: [...coupled, "kill", "coupled plug b"] },
  { wrong: "run twice", log: [...coupled, "coupled socket a"] },
  { wrong: "the socket's half without the plug's", log: ["created plug", "coupled socket a"] },
  { wrong: "the socket's half without the plug's", log: [...coupled, "updated socket a 2"] },
  { wrong: "the socket's half without the plug's", log: [...coupled, "kill", "decoupled socket a"] },
  { wrong: "the socket's half is left out", log: [...coupled.slice(0, 2), "decoupled plug a"] },
  { wrong: "updated without being coupled", log: ["created plug", "updated plug a"] },
  { wrong: "updated, and nothing has changed", log: [...coupled, "updated plug a"] },
  { wrong: "decoupled without being coupled", log: [...coupled, ...left, "decoupled plug a"] },
  { wrong: "deleted while coupled", log: [...coupled, "deleted plug a"] },
  { wrong: "deleted while coupled", log: [...coupled, "kill", "deleted plug a"] },
  { wrong: "something after deleted", log: [...coupled, ...left, "deleted plug", "decoupled plug a"] },
  { wrong: "its socket is deleted under it", log: [...coupled, "deleted socket a"] },
])("out of order: $wrong: $log", ({ wrong, log }) => {
  const [problem, ...others] = misorders(logOf(log));
  expect(problem).toContain(`: ${wrong}`);
  expect(others).toEqual([]);
});
