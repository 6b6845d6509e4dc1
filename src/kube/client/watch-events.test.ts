import { describe, expect, it } from "vitest";
import { fc } from "#seeded";
import { ApiError } from "../transport/api-error.ts";
import { ConnectionError } from "../transport/connection-error.ts";
import { readWatchEvents, type WatchEvent, type WatchSource } from "./watch-events.ts";

const source: WatchSource = { request: { method: "GET", path: "/api/v1/configmaps" }, cluster: "dev" };

function configMap(name: string, text = ""): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, resourceVersion: "7" }, data: { text } };
}

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

async function* stream(...pieces: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}

async function* brokenStream(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(line("ADDED", configMap("a")));
  throw new ConnectionError("reset", { failure: "broken", wasSent: true });
}

async function collect(body: AsyncIterable<Uint8Array>, of = source): Promise<WatchEvent[]> {
  return await Array.fromAsync(readWatchEvents(body, of));
}

/** What came before the failure, and the failure. */
async function collectUntilFailure(body: AsyncIterable<Uint8Array>) {
  const events: WatchEvent[] = [];
  try {
    for await (const event of readWatchEvents(body, source)) events.push(event);
  } catch (error) {
    return { events, error };
  }
  throw new Error("the watch ended without a failure");
}

describe("readWatchEvents", () => {
  it("reads changes and bookmarks", async () => {
    const bookmark = { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion: "9" } };
    const end = { metadata: { resourceVersion: "10", annotations: { "k8s.io/initial-events-end": "true" } } };
    const body = stream(
      line("ADDED", configMap("a")),
      line("MODIFIED", configMap("a", "x")) + line("DELETED", configMap("a", "x")),
      line("BOOKMARK", bookmark) + line("BOOKMARK", end),
    );
    expect(await collect(body)).toEqual([
      { type: "ADDED", object: configMap("a") },
      { type: "MODIFIED", object: configMap("a", "x") },
      { type: "DELETED", object: configMap("a", "x") },
      { type: "BOOKMARK", resourceVersion: "9", isInitialEventsEnd: false },
      { type: "BOOKMARK", resourceVersion: "10", isInitialEventsEnd: true },
    ]);
  });

  it("gives objects of a metadata-only watch their own kind", async () => {
    const partial = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: { name: "a" } };
    const events = await collect(stream(line("ADDED", partial)), {
      ...source,
      partialKind: { apiVersion: "v1", kind: "ConfigMap" },
    });
    expect(events).toEqual([
      { type: "ADDED", object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } } },
    ]);
  });

  it("gives the same events however the bytes are cut", async () => {
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { minLength: 1, maxLength: 8 });
    const cuts = fc.array(fc.nat(), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(texts, cuts, async (contents, positions) => {
        const whole = Buffer.from(contents.map((text, index) => line("ADDED", configMap(`n${index}`, text))).join(""));
        const at = [...new Set(positions.map((position) => position % whole.length))].toSorted((a, b) => a - b);
        const pieces = [0, ...at].map((start, index) => whole.subarray(start, at[index] ?? whole.length));
        expect(await collect(stream(...pieces))).toEqual(await collect(stream(whole)));
      }),
    );
  });

  it("reads a line of many megabytes that comes in many pieces, in linear time", async () => {
    const text = "ö".repeat(4 * 1024 * 1024);
    const whole = Buffer.from(line("ADDED", configMap("big", text)) + line("ADDED", configMap("small")));
    const size = 1021;
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
      whole.subarray(index * size, (index + 1) * size),
    );
    const [big, small] = await collect(stream(...pieces));
    expect(big).toMatchObject({ object: { metadata: { name: "big" }, data: { text } } });
    expect(small).toMatchObject({ object: { metadata: { name: "small" } } });
  });

  it("throws what the server reports, after the events before it", async () => {
    const status = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version: 1 (2)" };
    const { events, error } = await collectUntilFailure(stream(line("ADDED", configMap("a")) + line("ERROR", status)));
    expect(events).toHaveLength(1);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ isGone: true, status: 410, reason: "Expired" });
    expect(String(error)).toContain("too old resource version: 1 (2)");
  });

  it.each([
    { reason: "within an object", rest: line("ADDED", configMap("b")).slice(0, -20) },
    {
      reason: "between an object and its newline, where it may be incomplete",
      rest: line("ADDED", configMap("b")).trim(),
    },
    { reason: "within a character", rest: Buffer.from('{"type":"ADDED","object":"ö').subarray(0, -1) },
  ])("throws when the stream ends $reason, and never yields half an object", async ({ rest }) => {
    const { events, error } = await collectUntilFailure(stream(line("ADDED", configMap("a")), rest));
    expect(events).toEqual([{ type: "ADDED", object: configMap("a") }]);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ failure: "broken" });
    expect(String(error)).toContain("GET /api/v1/configmaps on dev: the watch ended in the middle of an event");
  });

  it.each([
    { reason: "a line that is not JSON", text: '{"type":"ADDED","object":{"data":{"password":"hunter22"\n' },
    { reason: "an unknown type", text: line("RENAMED", configMap("a")) },
    { reason: "an event without an object", text: '{"type":"ADDED"}\n' },
    { reason: "an object without a name", text: line("ADDED", { apiVersion: "v1", kind: "Secret", metadata: {} }) },
    { reason: "a bookmark without a version", text: line("BOOKMARK", { metadata: {} }) },
    { reason: "JSON that is not an event", text: "[]\n" },
  ])("takes $reason for a broken stream, and does not repeat it", async ({ text }) => {
    const { error } = await collectUntilFailure(stream(text));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).not.toHaveProperty("cause");
    expect(String(error)).not.toContain("hunter22");
  });

  it("passes on what breaks the stream", async () => {
    const { events, error } = await collectUntilFailure(brokenStream());
    expect(events).toHaveLength(1);
    expect(error).toMatchObject({ message: "reset" });
  });
});
