import { once } from "node:events";
import { setImmediate, setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { dial } from "./loopback.ts";
import { joinThrough, read, startEcho, startHandheld } from "./tcp-pair.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

describe("reset and refuse", () => {
  test("reset of live connections is ECONNRESET on both sides, and new ones work", async () => {
    await using handheld = await startHandheld();
    await using proxy = await startTcpProxy({ target: handheld.target });
    await using joined = await joinThrough(proxy, handheld);
    const { client } = joined;
    const failed = once(joined.server.resume(), "error");
    proxy.reset("live");
    expect(await client.ended).toBe("ECONNRESET");
    expect(await failed).toMatchObject([{ code: "ECONNRESET" }]);
    await using _next = await joinThrough(proxy, handheld);
    expect(proxy.counts).toMatchObject({ opened: 2, live: 1 });
  });

  test("reset of new connections leaves live ones alone and ends with restore", async () => {
    await using echo = await startEcho();
    await using proxy = await startTcpProxy({ target: echo.target });
    await using live = await dial(proxy.port);
    await proxy.until(({ opened }) => opened === 1);
    proxy.reset("new");
    const refused = await dial(proxy.port).then(
      (client) => client.ended,
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect(refused).toBe("ECONNRESET");
    live.socket.write("still here");
    expect(await live.hear(10)).toBe("still here");
    await proxy.restore();
    await using next = await dial(proxy.port);
    next.socket.write("back");
    expect(await next.hear(4)).toBe("back");
  });

  test("refuse is ECONNREFUSED for new connections, live ones go on, restore listens on the same port", async () => {
    await using echo = await startEcho();
    await using proxy = await startTcpProxy({ target: echo.target });
    await using live = await dial(proxy.port);
    await proxy.until(({ opened }) => opened === 1);
    proxy.refuse();
    await expect(dial(proxy.port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    live.socket.write("still here");
    expect(await live.hear(10)).toBe("still here");
    await proxy.restore();
    await using next = await dial(proxy.port);
    next.socket.write("back");
    expect(await next.hear(4)).toBe("back");
  });
});

describe("delay", () => {
  test("each chunk is late, in order, and all are late together", async () => {
    await using echo = await startEcho();
    await using proxy = await startTcpProxy({ target: echo.target });
    await using client = await dial(proxy.port);
    const milliseconds = 200;
    const chunks = 3_000;
    const sent = Array.from({ length: chunks }, (_, index) => String.fromCharCode(97 + (index % 26)));
    proxy.delay(milliseconds);
    const start = performance.now();
    for (let index = 0; index < chunks; index += 1) {
      client.socket.write(sent[index] ?? "");
      await proxy.until(({ held, bytesToServer }) => held + bytesToServer > index);
    }
    const received = await client.hear(chunks);
    const elapsed = performance.now() - start;
    expect(received).toBe(sent.join(""));
    expect(elapsed).toBeGreaterThanOrEqual(2 * milliseconds);
    // Ten minutes, which a delay of each chunk after the other would take.
    expect(elapsed).toBeLessThan(chunks * milliseconds);
  });

  test("restore sends delayed chunks at once", async () => {
    await using echo = await startEcho();
    await using proxy = await startTcpProxy({ target: echo.target });
    await using client = await dial(proxy.port);
    proxy.delay(3_600_000);
    client.socket.write("hello");
    await proxy.until(({ held }) => held === 5);
    await proxy.restore();
    expect(await client.hear(5)).toBe("hello");
  });
});

describe("silence", () => {
  test.each([
    { direction: "toClient", serverHears: 3, clientHears: 0, reason: "only the server hears" },
    { direction: "toServer", serverHears: 0, clientHears: 4, reason: "only the client hears" },
    { direction: "both", serverHears: 0, clientHears: 0, reason: "neither side receives anything" },
  ] as const)(
    "$direction: $reason, and all of it comes with restore",
    async ({ direction, serverHears, clientHears }) => {
      await using handheld = await startHandheld();
      await using proxy = await startTcpProxy({ target: handheld.target });
      await using joined = await joinThrough(proxy, handheld);
      const { client, server } = joined;
      proxy.silence(direction);
      client.socket.write("one");
      server.write("four");
      await proxy.until(({ held, bytesToServer, bytesToClient }) => held + bytesToServer + bytesToClient === 7);
      expect(proxy.counts).toMatchObject({ live: 1, bytesToServer: serverHears, bytesToClient: clientHears });
      const question = read(server, 3);
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      expect([server.bytesRead, client.socket.bytesRead]).toEqual([serverHears, clientHears]);
      await proxy.restore();
      expect(await question).toBe("one");
      expect(await client.hear(4)).toBe("four");
      expect(proxy.counts.held).toBe(0);
    },
  );

  test("new connections are accepted into it", async () => {
    await using echo = await startEcho();
    await using proxy = await startTcpProxy({ target: echo.target });
    proxy.silence();
    await using client = await dial(proxy.port);
    client.socket.write("hello");
    await proxy.until(({ held }) => held === 5);
    await proxy.restore();
    expect(await client.hear(5)).toBe("hello");
  });

  test("a client that disconnects is no longer live, but the server sees it only after restore", async () => {
    await using handheld = await startHandheld();
    await using proxy = await startTcpProxy({ target: handheld.target });
    await using joined = await joinThrough(proxy, handheld);
    proxy.silence();
    joined.server.resume();
    await joined.client[Symbol.asyncDispose]();
    await proxy.until(({ live }) => live === 0);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(joined.server.readableEnded).toBe(false);
    const ended = once(joined.server, "end");
    await proxy.restore();
    await ended;
  });
});

describe("cut", () => {
  test.each([
    { bytes: 0, style: "reset", ends: "ECONNRESET" },
    { bytes: 1, style: "reset", ends: "ECONNRESET" },
    { bytes: 70_001, style: "reset", ends: "ECONNRESET" },
    { bytes: 3_000_000, style: "reset", ends: "ECONNRESET" },
    { bytes: 70_001, style: "end", ends: "end" },
  ] as const)("after exactly $bytes more bytes by $style", async ({ bytes, style, ends }) => {
    await using handheld = await startHandheld();
    await using proxy = await startTcpProxy({ target: handheld.target });
    await using joined = await joinThrough(proxy, handheld);
    const { client } = joined;
    joined.server.write("before");
    await client.hear(6);
    proxy.cutAfter(bytes, { style });
    joined.server.write(Buffer.alloc(4_000_000));
    expect(await client.ended).toBe(ends);
    expect(client.received.length).toBe(6 + bytes);
    expect(proxy.counts.bytesToClient).toBe(6 + bytes);
  });

  test.each([
    { bytes: 1000, reason: "that its kernel has got" },
    { bytes: 300_000, reason: "that its kernel has no room for" },
  ])("leaves a client that does not read the $bytes bytes $reason", async ({ bytes }) => {
    await using handheld = await startHandheld();
    await using proxy = await startTcpProxy({ target: handheld.target });
    proxy.cutAfter(bytes, { connections: "new" });
    const accepted = handheld.accepted();
    await using client = await dial(proxy.port, { reads: false });
    (await accepted).write(Buffer.alloc(400_000));
    await proxy.until(({ bytesToClient }) => bytesToClient === bytes);
    // Longer than a kernel waits before it acknowledges.
    await setTimeout(60);
    expect(proxy.counts.live).toBe(1);
    client.socket.resume();
    expect(await client.ended).toBe("ECONNRESET");
    expect(client.received.length).toBe(bytes);
  });

  test("counts for each connection alone, and leaves later ones alone", async () => {
    await using echo = await startEcho();
    await using proxy = await startTcpProxy({ target: echo.target });
    await using one = await dial(proxy.port);
    await using other = await dial(proxy.port);
    await proxy.until(({ opened }) => opened === 2);
    proxy.cutAfter(4);
    one.socket.write("12345");
    expect(await one.ended).toBe("ECONNRESET");
    other.socket.write("123");
    expect(await other.hear(3)).toBe("123");
    await using later = await dial(proxy.port);
    later.socket.write("12345");
    expect(await later.hear(5)).toBe("12345");
  });

  test("restore takes back a cut that has not come", async () => {
    await using echo = await startEcho();
    await using proxy = await startTcpProxy({ target: echo.target });
    await using client = await dial(proxy.port);
    proxy.cutAfter(3, { connections: "all" });
    await proxy.restore();
    client.socket.write("12345");
    expect(await client.hear(5)).toBe("12345");
  });
});

test("retarget sends new connections elsewhere and leaves live ones where they are", async () => {
  await using before = await startHandheld();
  await using after = await startHandheld();
  await using proxy = await startTcpProxy({ target: before.target });
  await using old = await joinThrough(proxy, before);
  proxy.retarget(after.target);
  await using next = await joinThrough(proxy, after);
  old.server.write("before");
  next.server.write("after");
  expect(await old.client.hear(6)).toBe("before");
  expect(await next.client.hear(5)).toBe("after");
});
