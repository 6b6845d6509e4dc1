import { expect, test } from "vitest";
import { RepositoryLocks } from "./repository-locks.ts";

const { signal } = new AbortController();

test("releases that share a repository run one after the other, and others at the same time", async () => {
  const locks = new RepositoryLocks();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const one = locks.run(
    ["b", "a"],
    async () => {
      begun.resolve();
      await gate.promise;
      log.push("one");
    },
    signal,
  );
  await begun.promise;
  const two = locks.run(["c", "b"], async () => log.push("two"), signal);
  await locks.run(["d"], async () => log.push("other"), signal);
  expect(log).toEqual(["other"]);
  gate.resolve();
  await Promise.all([one, two]);
  expect(log).toEqual(["other", "one", "two"]);
});

test("sets that overlap in any order never wait for each other for ever, and a failure frees its repositories", async () => {
  const locks = new RepositoryLocks();
  const sets = ["ab", "ba", "bc", "cb", "abc", "cba", "ca", "ac"].map((text) => text.split(""));
  const settled = await Promise.allSettled(
    sets.map((set, index) =>
      locks.run(
        set,
        async () => {
          if (index % 3 === 0) throw new Error("failed");
          return index;
        },
        signal,
      ),
    ),
  );
  expect(settled.map(({ status }) => status === "rejected")).toEqual(sets.map((_, index) => index % 3 === 0));
});

test("who waits for a repository can give up", async () => {
  const locks = new RepositoryLocks();
  const gate = Promise.withResolvers<void>();
  const first = locks.run(["a"], () => gate.promise, signal);
  const stopping = new AbortController();
  const second = locks.run(["a"], async () => "ran", stopping.signal);
  stopping.abort(new Error("enough"));
  await expect(second).rejects.toThrow("enough");
  gate.resolve();
  await first;
});
