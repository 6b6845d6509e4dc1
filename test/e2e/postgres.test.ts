import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type JsonObject, silentLogger } from "#base";
import { postgresApparatus } from "../../examples/postgres/postgres-apparatus.ts";
import { type PostgresServer, startPostgres } from "./start-postgres.ts";

const program = join(import.meta.dirname, "..", "..", "examples", "postgres", "main.ts");
const socket = { metadata: { name: "postgres", namespace: "data", uid: "socket-1", generation: 1 } };
const Account = z.object({
  host: z.string(),
  port: z.string(),
  database: z.string(),
  username: z.string(),
  password: z.string(),
});
type Account = z.infer<typeof Account>;

let server: PostgresServer;
let superuser: postgres.Sql;
/** The one that runs now; tests that kill it start another. */
let apparatus: { readonly process: ChildProcess; readonly base: string };
let uids = 0;
const said: string[] = [];

beforeAll(async () => {
  server = await startPostgres();
  superuser = postgres(server.url, { onnotice: () => {} });
  await superuser`create role tenon login createdb createrole password 'admin'`;
  apparatus = await startApparatus();
});
afterAll(async () => {
  if (apparatus) await stopApparatus();
  await superuser?.end();
  await server?.[Symbol.asyncDispose]();
});

/** As an administrator without superuser rights. */
async function startApparatus(): Promise<typeof apparatus> {
  const child = spawn(process.execPath, [program], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ADMIN_URL: `postgres://tenon:admin@127.0.0.1:${server.port}/postgres`,
      PASSWORD_KEY: "a key",
      CALLERS: "-",
      HOST: "127.0.0.1",
      PORT: "0",
    },
  });
  const lines = createInterface({ input: child.stderr });
  const [line]: unknown[] = await once(lines, "line");
  lines.on("line", (each) => said.push(each));
  const { port } = z.object({ port: z.number() }).parse(JSON.parse(String(line)));
  return { process: child, base: `http://127.0.0.1:${port}/socket` };
}

async function stopApparatus(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
  const { process: child } = apparatus;
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

function makePlug(name = "orders", namespace = "shop"): JsonObject {
  return { metadata: { name, namespace, uid: `plug-${uids++}`, generation: 1 }, spec: {} };
}

function call(path: string, plug: JsonObject, id: string, plugConfig: JsonObject = {}): Promise<Response> {
  const body =
    path === "/config"
      ? { version: 1, plug, socket, plugData: {}, socketData: {} }
      : { version: "1", plug, socket, plugConfig, socketConfig: {} };
  return fetch(`${apparatus.base}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-integration-id": id },
    body: JSON.stringify(body),
  });
}

async function accountOf(plug: JsonObject): Promise<Account> {
  return Account.parse(await (await call("/config", plug, crypto.randomUUID())).json());
}

async function couple(plug: JsonObject, id: string = crypto.randomUUID()): Promise<Account> {
  expect((await call("/coupled", plug, id)).status).toBe(200);
  return accountOf(plug);
}

/** What the server says to who logs in: the user it sees, or why it refuses. */
async function logIn({ host, port, username, password }: Account, database: string): Promise<string> {
  const sql = postgres({ host, port: Number(port), username, password, database, max: 1, onnotice: () => {} });
  try {
    const [row] = await sql<{ name: string }[]>`select current_user as name`;
    return row?.name ?? "";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  } finally {
    await sql.end();
  }
}

async function countOf({ database, username }: Account): Promise<{ databases: number; roles: number }> {
  const databases = await superuser`select from pg_database where datname = ${database}`;
  const roles = await superuser`select from pg_roles where rolname = ${username}`;
  return { databases: databases.count, roles: roles.count };
}

test("a plug gets a database that it owns, and no other plug has access", async () => {
  const [orders, blog] = [await couple(makePlug("orders")), await couple(makePlug("blog"))];
  expect(await logIn(orders, orders.database)).toBe(orders.username);
  expect(await logIn({ ...orders, password: blog.password }, orders.database)).toBe("28P01");
  expect(await logIn(blog, orders.database)).toBe("42501");
  const sql = postgres({ ...orders, port: Number(orders.port), max: 1 });
  await sql`create table things (name text)`;
  await sql.end();
  expect(said.join("\n")).not.toContain(orders.password);
});

test("the database exists once after the same call twice, in parallel, with another id, and in a new process", async () => {
  const plug = makePlug();
  const account = await couple(plug, "same");
  await Promise.all([couple(plug, "same"), couple(plug, "same"), couple(plug, "other")]);
  await stopApparatus("SIGKILL");
  apparatus = await startApparatus();
  expect(await couple(plug, "same")).toEqual(account);
  expect((await call("/updated", plug, "updated")).status).toBe(200);
  expect(await countOf(account)).toEqual({ databases: 1, roles: 1 });
  expect(await logIn(account, account.database)).toBe(account.username);
});

test("the database exists once after kill -9 during its creation", async () => {
  const plug = makePlug();
  const account = await accountOf(plug);
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = superuser.begin(async (sql) => {
    await sql`lock table pg_catalog.pg_database in exclusive mode`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const lost = call("/coupled", plug, "same").then(String, () => "lost");
  await expect
    .poll(async () => {
      const waiting =
        await superuser`select from pg_stat_activity where query like 'create database%' and wait_event_type = 'Lock'`;
      return waiting.count;
    })
    .toBe(1);
  await stopApparatus("SIGKILL");
  expect(await lost).toBe("lost");
  expect(await countOf(account)).toEqual({ databases: 0, roles: 1 });
  release.resolve();
  await holding;
  apparatus = await startApparatus();
  await couple(plug, "same");
  expect(await countOf(account)).toEqual({ databases: 1, roles: 1 });
  expect(await logIn(account, account.database)).toBe(account.username);
});

test("two apparatuses in parallel create one database", async () => {
  const plug = makePlug();
  const first = apparatus;
  apparatus = await startApparatus();
  const second = apparatus;
  try {
    const calls = [first, second].map((each) => {
      apparatus = each;
      return call("/coupled", plug, "same");
    });
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await countOf(await accountOf(plug))).toEqual({ databases: 1, roles: 1 });
  } finally {
    apparatus = first;
    await stopApparatus();
    apparatus = second;
  }
});

test.each([
  { name: 'x"; drop database "postgres"; --', reason: "a quote" },
  { name: "x'; drop role tenon; --", reason: "another quote" },
  { name: "%I%s%1$L", reason: "what means something to format()" },
  { name: "postgres.public.things", reason: "dots" },
  { name: "пингвин\u0000\n", reason: "no ASCII" },
  { name: "x".repeat(500), reason: "longer than a name may be" },
])("a hostile name of a plug is escaped: $reason", async ({ name }) => {
  const plug = makePlug(name);
  const other = await couple(makePlug(name));
  const account = await couple(plug);
  expect(account.database).toMatch(/^[a-z0-9_]{1,63}$/);
  expect(account.database).not.toBe(other.database);
  expect(await logIn(account, account.database)).toBe(account.username);
  expect((await call("/decoupled", plug, "gone")).status).toBe(200);
  expect([await countOf(account), await countOf(other)]).toEqual([
    { databases: 0, roles: 0 },
    { databases: 1, roles: 1 },
  ]);
});

test("decoupled drops the database despite open connections, and can be repeated", async () => {
  const plug = makePlug();
  const account = await couple(plug);
  const sql = postgres({ ...account, port: Number(account.port), max: 1 });
  await sql`create table things (name text)`;
  expect((await call("/decoupled", plug, "a")).status).toBe(200);
  await sql.end();
  expect((await call("/decoupled", plug, "b")).status).toBe(200);
  expect(await countOf(account)).toEqual({ databases: 0, roles: 0 });
  expect(await logIn(account, "postgres")).toBe("28P01");
});

test("retain keeps the database and disables the login, and a plug that comes back finds its data", async () => {
  const plug = makePlug();
  const account = await couple(plug);
  const sql = postgres({ ...account, port: Number(account.port), max: 1 });
  await sql`create table things as select 'kept' as name`;
  expect((await call("/decoupled", plug, "a", { retain: "true" })).status).toBe(200);
  await sql.end();
  expect(await countOf(account)).toEqual({ databases: 1, roles: 1 });
  expect(await logIn(account, account.database)).toBe("28000");
  await couple(plug, "again");
  const back = postgres({ ...account, port: Number(account.port), max: 1 });
  expect([...(await back`select name from things`)]).toEqual([{ name: "kept" }]);
  await back.end();
});

test("an invalid request of a plug is answered with the reason", async () => {
  const answer = await call("/coupled", makePlug(), "a", { retain: "perhaps" });
  expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining("plugConfig.retain")]);
});

test("an unreachable server is answered with 500, so that the call is repeated", async () => {
  const away = postgresApparatus({
    adminUrl: "postgres://tenon:admin-password@127.0.0.1:1/postgres",
    passwordKey: "k",
    verify: false,
    log: silentLogger,
  });
  const body = JSON.stringify({ plug: makePlug(), socket, plugConfig: {}, socketConfig: {} });
  expect((await away.app.request("/socket/coupled", { method: "POST", body })).status).toBe(500);
  await away[Symbol.asyncDispose]();
});
