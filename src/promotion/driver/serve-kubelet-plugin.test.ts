import { once } from "node:events";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { connect, type ClientHttp2Session } from "node:http2";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InputError, silentLogger } from "#base";
import { encodeBytes, encodeText, encodeVarint } from "./protobuf.ts";
import { type KubeletPlugin, serveKubeletPlugin } from "./serve-kubelet-plugin.ts";

const name = "env.tenon.dev";
const dra = "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin";

/** A plugin behind its two sockets, and calls by real HTTP/2. */
async function usePlugin(changed: Partial<KubeletPlugin> = {}) {
  const stack = new AsyncDisposableStack();
  const { path } = stack.use(await mkdtempDisposable(join(tmpdir(), "tenon-dra-")));
  const plugin: KubeletPlugin = {
    name,
    prepare: async ({ uid }) => [
      { requests: ["env"], pool: "n", device: "slot-0", cdiDevices: [`${name}/claim=${uid}`] },
    ],
    unprepare: async () => {},
    registered: () => {},
    ...changed,
  };
  const sockets = {
    dra: join(path, "plugins", name, "dra.sock"),
    registry: join(path, "plugins_registry", `${name}-reg.sock`),
  };
  const serve = () => serveKubeletPlugin(plugin, path, silentLogger);
  const open = (socket: string): ClientHttp2Session => {
    const session = connect("http://localhost", { createConnection: () => connectSocket(socket) });
    stack.defer(() => session.destroy());
    return session;
  };
  return { path, sockets, serve, open, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

interface Answer {
  readonly status: string;
  readonly body: Buffer;
}

async function call(session: ClientHttp2Session, method: string, body: Buffer): Promise<Answer> {
  const stream = session.request({
    ":method": "POST",
    ":path": method,
    "content-type": "application/grpc",
    te: "trailers",
  });
  let found: Record<string, unknown> = {};
  stream.on("response", (headers) => (found = { ...found, ...headers }));
  stream.on("trailers", (trailers) => (found = { ...found, ...trailers }));
  stream.end(body);
  const chunks = await stream.toArray();
  return {
    status: String(found["grpc-status"]),
    body: Buffer.concat(chunks).subarray(5),
  };
}

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function claimsRequest(...uids: readonly string[]): Buffer {
  const claims = uids.map((uid) =>
    encodeBytes(1, Buffer.concat([encodeText(1, "shop"), encodeText(2, uid), encodeText(3, `claim-${uid}`)])),
  );
  return framed(Buffer.concat(claims));
}

test("the kubelet finds the plugin, prepares and unprepares claims, and hears of each alone", async () => {
  const unprepared: string[] = [];
  await using world = await usePlugin({
    async prepare({ namespace, name: claim, uid }) {
      if (uid === "u2") throw new InputError("EphemeralClass small not found", { next: "create it" });
      return [{ requests: ["env"], pool: "n", device: "slot-0", cdiDevices: [`${namespace}/${claim}`] }];
    },
    unprepare: async ({ uid }) => void unprepared.push(uid),
  });
  await using _ = await world.serve();
  const registry = world.open(world.sockets.registry);
  const info = await call(registry, "/pluginregistration.Registration/GetInfo", framed(Buffer.alloc(0)));
  expect(info.status).toBe("0");
  expect(info.body.toString()).toContain(world.sockets.dra);
  const session = world.open(world.sockets.dra);
  const prepared = await call(session, `${dra}/NodePrepareResources`, claimsRequest("u1", "u2"));
  expect(prepared.status).toBe("0");
  expect(prepared.body.toString()).toContain("shop/claim-u1");
  expect(prepared.body.toString()).toContain("EphemeralClass small not found");
  await call(session, `${dra}/NodeUnprepareResources`, claimsRequest("u1"));
  expect(unprepared).toEqual(["u1"]);
});

test("registration is reported each time the kubelet says so, and not when it refuses", async () => {
  let count = 0;
  await using world = await usePlugin({ registered: () => void (count += 1) });
  await using _ = await world.serve();
  const session = world.open(world.sockets.registry);
  const notify = (message: Buffer) =>
    call(session, "/pluginregistration.Registration/NotifyRegistrationStatus", framed(message));
  const good = Buffer.concat([encodeVarint(8n), encodeVarint(1n)]);
  await notify(good);
  await notify(encodeText(2, "another version"));
  await notify(good);
  expect(count).toBe(2);
});

test.for([
  { reason: "a method that no service has", method: "/v1.Other/Do", body: framed(Buffer.alloc(0)), status: "12" },
  { reason: "a malformed body", method: `${dra}/NodePrepareResources`, body: Buffer.from("ab"), status: "3" },
  {
    reason: "a message that is compressed",
    method: `${dra}/NodePrepareResources`,
    body: Buffer.from([1, 0, 0, 0, 0]),
    status: "12",
  },
  {
    reason: "bytes that are not protobuf",
    method: `${dra}/NodePrepareResources`,
    body: framed(Buffer.from([255])),
    status: "2",
  },
])("a call is answered with an error, and the next one works: $reason", async ({ method, body, status }) => {
  await using world = await usePlugin();
  await using _ = await world.serve();
  const session = world.open(world.sockets.dra);
  expect((await call(session, method, body)).status).toBe(status);
  expect((await call(session, `${dra}/NodePrepareResources`, claimsRequest("u1"))).status).toBe("0");
});

test("a message that is too long is refused before it is read to its end", async () => {
  await using world = await usePlugin();
  await using _ = await world.serve();
  const session = world.open(world.sockets.dra);
  const answer = await call(session, `${dra}/NodePrepareResources`, framed(Buffer.alloc(5 * 2 ** 20)));
  expect(answer.status).toBe("8");
});

test("a call whose caller has gone is cancelled", async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  await using world = await usePlugin({
    prepare: (_claim, signal) => {
      begun.resolve(signal);
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  await using _ = await world.serve();
  const session = world.open(world.sockets.dra);
  const stream = session.request({ ":method": "POST", ":path": `${dra}/NodePrepareResources` });
  stream.on("error", () => {});
  stream.end(claimsRequest("u1"));
  const signal = await begun.promise;
  const aborted = once(signal, "abort");
  session.destroy();
  await aborted;
  expect(String(signal.reason)).toContain("the caller has gone");
});

test("sockets that a killed driver left behind are in no one's way", async () => {
  await using world = await usePlugin();
  await mkdir(join(world.path, "plugins", name), { recursive: true });
  await writeFile(world.sockets.dra, "");
  await using _ = await world.serve();
  const answer = await call(world.open(world.sockets.dra), `${dra}/NodePrepareResources`, claimsRequest("u1"));
  expect(answer.status).toBe("0");
});
