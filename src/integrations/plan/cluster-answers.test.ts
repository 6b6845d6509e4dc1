import { describe, expect, test } from "vitest";
import type { KubeRequest, Transport } from "#kube";
import { ClusterAnswers, type KnownAnswer } from "./cluster-answers.ts";

const { signal } = new AbortController();
const lists: KubeRequest = { method: "GET", path: "/api/v1/services", query: { limit: 1000 } };

function listOf(version: number, ...names: readonly string[]): string {
  const items = names.map((name) => ({ metadata: { name, resourceVersion: "1" } }));
  const metadata = { resourceVersion: String(version) };
  return JSON.stringify({ kind: "ServiceList", apiVersion: "v1", metadata, items });
}

/** Gives one answer to everything. */
function answering(body: string, calls: string[] = []): Transport {
  return {
    cluster: "c1",
    async send({ path }) {
      calls.push(path);
      return { status: 200, headers: {}, body };
    },
    open: () => Promise.reject(new Error("not asked for")),
    impersonate: () => answering(body, calls),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function knownFrom(body: string, request = lists): Promise<readonly KnownAnswer[] | undefined> {
  const answers = new ClusterAnswers();
  await answers.wrap("c1", answering(body)).send(request, signal);
  return answers.known;
}

async function isSame(before: string, now: string): Promise<boolean> {
  const [known] = (await knownFrom(before)) ?? [];
  return known !== undefined && (await new ClusterAnswers().isSame(known, answering(now), signal));
}

test.for([
  {
    reason: "the same objects at a later version of the list",
    before: listOf(7, "a"),
    now: listOf(8, "a"),
    same: true,
  },
  { reason: "another object", before: listOf(7, "a"), now: listOf(7, "a", "b"), same: false },
  { reason: "an object less", before: listOf(7, "a", "b"), now: listOf(7, "a"), same: false },
  {
    reason: "another version of an object",
    before: listOf(7, "a"),
    now: listOf(7, "a").replace('"resourceVersion":"1"', '"resourceVersion":"2"'),
    same: false,
  },
  { reason: "a list that now has a second page", before: listOf(7, "a"), now: paged(listOf(7, "a")), same: false },
  { reason: "one object at another version", before: object(1), now: object(2), same: false },
])("whether a cluster answers the same: $reason", async ({ before, now, same }) => {
  expect(await isSame(before, now)).toBe(same);
});

function paged(list: string): string {
  return list.replace('"metadata":{', '"metadata":{"continue":"x",');
}

function object(version: number): string {
  return JSON.stringify({ kind: "Service", apiVersion: "v1", metadata: { resourceVersion: String(version) } });
}

describe("what cannot be asked again", () => {
  test.for<{ reason: string; request: KubeRequest }>([
    { reason: "a second page", request: { ...lists, query: { continue: "token" } } },
    { reason: "a call that is not a GET", request: { method: "POST", path: "/apis/x" } },
  ])("after $reason, no answers are known", async ({ request }) => {
    expect(await knownFrom(listOf(1), request)).toBeUndefined();
  });

  test("after a failure, no answers are known", async () => {
    const answers = new ClusterAnswers();
    const failing = { ...answering(""), send: () => Promise.reject(new Error("no answer")) };
    await expect(answers.wrap("c1", failing).send(lists, signal)).rejects.toThrow("no answer");
    expect(answers.known).toBeUndefined();
  });

  test("after a call as another identity, no answers are known", () => {
    const answers = new ClusterAnswers();
    answers.wrap("c1", answering("")).impersonate({ user: "tenant" });
    expect(answers.known).toBeUndefined();
  });
});

test("what was asked early answers the first who asks, and counts as known only then", async () => {
  const [known] = (await knownFrom(listOf(1, "a"))) ?? [];
  const calls: string[] = [];
  const answers = new ClusterAnswers();
  const transport = answering(listOf(2, "b"), calls);
  expect(known && (await answers.isSame(known, transport, signal))).toBe(false);
  expect(answers.known).toEqual([]);
  const wrapped = answers.wrap("c1", transport);
  expect((await wrapped.send(lists, signal)).body).toContain('"b"');
  expect(calls).toHaveLength(1);
  expect(answers.known).toHaveLength(1);
  await wrapped.send(lists, signal);
  expect(calls).toHaveLength(2);
});
