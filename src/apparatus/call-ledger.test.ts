import { expect, test } from "vitest";
import { FakeClock } from "../base/fake-clock.fixture.ts";
import { type CallAnswer, CallLedger, type LedgerCall } from "./call-ledger.ts";

const good: CallAnswer = { status: 200, body: {} };
const callAbout = (subject: string): LedgerCall => ({ subject, id: "id", digest: "d", isQuestion: false });

test("the ledger remembers the newest answers up to its limit, and never forgets a running call", async () => {
  const ledger = new CallLedger(new FakeClock(), 2);
  const runs: string[] = [];
  const ask = (subject: string) =>
    ledger.answer(callAbout(subject), 1, async () => {
      runs.push(subject);
      return good;
    });
  const gate = Promise.withResolvers<CallAnswer>();
  const slow = ledger.answer(callAbout("slow"), 1, () => gate.promise);
  for (const subject of ["a", "b", "c", "c", "b", "a"]) await ask(subject);
  expect(runs).toEqual(["a", "b", "c", "b", "a"]);
  const joined = ledger.answer(callAbout("slow"), 1, () => Promise.reject(new Error("run twice")));
  gate.resolve(good);
  expect(await Promise.all([slow, joined])).toEqual([good, good]);
});
