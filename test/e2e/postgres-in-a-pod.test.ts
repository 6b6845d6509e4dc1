import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { parseYamlDocuments } from "#yaml";
import { valueAt } from "#base";
import { couplingKinds, Plug } from "#coupling";
import { installKinds } from "#crd";
import {
  connect,
  createClient,
  isKubeObject,
  type KubeClient,
  loadAccess,
  type ObjectRef,
  readLogs,
  requestToken,
} from "#kube";
import { writeImageArchive } from "#oci";
import { makePostgresImage } from "../../examples/postgres/image.ts";
import { type PostgresServer, startPostgres } from "./start-postgres.ts";
import { useNode } from "./use-node.ts";

const root = join(import.meta.dirname, "..", "..");
const world = useNode();
const database = `${world.namespace}-database`;
const shop = `${world.namespace}-shop`;
const caller = { namespace: world.namespace, name: "tenon" };
const LogLine = z.object({ call: z.string().optional(), plug: z.string().optional(), id: z.string().optional() });
const cleanup = new AsyncDisposableStack();
let client: KubeClient;
let server: PostgresServer;
let superuser: postgres.Sql;
let operator: ChildProcess;

beforeAll(async () => {
  client = createClient(cleanup.use(connect(await loadAccess({ kubeconfig: world.kubeconfig }))));
  await installKinds(client, couplingKinds);
  for (const kind of couplingKinds) await client.discovery.whenServed(kind, AbortSignal.timeout(300_000));
  const address = await hostAddress();
  server = cleanup.use(await startPostgres(["127.0.0.1", address]));
  superuser = postgres(server.url, { onnotice: () => {} });
  cleanup.defer(() => superuser.end());
  await superuser`create role tenon login createdb createrole password 'admin'`;
  await loadApparatus();
  await client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: caller });
  await startOperator();
  cleanup.defer(() => stopOperator());
  await applyExample("socket.yaml", {
    "postgres://tenon:change-me@postgres.database.svc:5432": `postgres://tenon:admin@${address}:${server.port}`,
    "system:serviceaccount:tenon:tenon": `system:serviceaccount:${caller.namespace}:${caller.name}`,
  });
  await applyExample("plugs.yaml", {});
});
afterAll(() => cleanup.disposeAsync());

/** Where pods find this machine: the address of the API server, which runs here. */
async function hostAddress(): Promise<string> {
  const ref = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace: "default", name: "kubernetes" };
  const address = valueAt(await client.get(ref), ["endpoints", 0, "addresses", 0]);
  if (typeof address !== "string") throw new Error("the API server has no address that pods know");
  return address;
}

async function loadApparatus(): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "tenon-postgres-image-"));
  const archive = join(folder.path, "image.tar");
  await writeImageArchive([await makePostgresImage("localhost/postgres-apparatus:1", "none")], archive);
  await world.load(archive);
}

/** The example as it is, but for namespaces of our own and what it says to change. */
async function applyExample(file: string, changes: Readonly<Record<string, string>>): Promise<void> {
  let text = await readFile(join(root, "examples", "postgres", file), "utf8");
  for (const [from, to] of Object.entries(changes)) text = text.replaceAll(from, to);
  text = text
    .replaceAll(/\bname(space)?: database\b/g, `name$1: ${database}`)
    .replaceAll(/\bname(space)?: shop\b/g, `name$1: ${shop}`)
    .replaceAll("name: database-postgres-apparatus", `name: ${database}`);
  for (const { value } of parseYamlDocuments(text)) {
    if (!isKubeObject(value)) throw new Error(`${file} has a document that is not a Kubernetes object`);
    await client.create(value);
    const { name, namespace } = value.metadata;
    if (namespace === undefined) {
      cleanup.defer(() => client.delete({ apiVersion: value.apiVersion, kind: value.kind, name }));
    }
  }
}

async function startOperator(): Promise<void> {
  const words = [
    "run",
    "--only",
    "couple",
    "--no-leader-election",
    "--port",
    "0",
    "--tenon-namespace",
    world.namespace,
  ];
  const settings = [
    "--kubeconfig",
    world.kubeconfig,
    "--apparatus-token-account",
    `${caller.namespace}/${caller.name}`,
  ];
  const child = spawn(join(root, "bin", "tenon"), [...words, ...settings], { stdio: ["ignore", "ignore", "pipe"] });
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    if (line.includes('"msg":"running"')) break;
  }
  if (lines.at(-1)?.includes('"msg":"running"') !== true) throw new Error(`Tenon has ended: ${lines.join("\n")}`);
  child.stderr.resume();
  operator = child;
}

async function stopOperator(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
  if (operator.exitCode !== null || operator.signalCode !== null) return;
  const exit = once(operator, "exit");
  operator.kill(signal);
  await exit;
}

function plugRef(name: string): ObjectRef {
  return { apiVersion: Plug.apiVersion, kind: "Plug", namespace: shop, name };
}

async function stateOf(name: string): Promise<string> {
  const status = (await client.find(plugRef(name)))?.["status"];
  return JSON.stringify(status);
}

/** What the application that plugged in has to go by: the Secret beside its plug. */
async function resultOf(plug: string): Promise<Record<string, string>> {
  const ref = { apiVersion: "v1", kind: "Secret", namespace: shop, name: `${plug}-integration-result` };
  const data = valueAt(await client.get(ref), ["data"]);
  const entries = Object.entries(data ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(String(value), "base64").toString()]));
}

async function databases(): Promise<string[]> {
  const rows = await superuser<
    { datname: string }[]
  >`select datname from pg_database where datname like ${`${shop.replaceAll("-", "_")}%`}`;
  return rows.map(({ datname }) => datname).toSorted();
}

/** What the apparatus says it was called for. */
async function callsFor(plug: string, call: string): Promise<z.infer<typeof LogLine>[]> {
  const lines: z.infer<typeof LogLine>[] = [];
  const pod = { namespace: database, name: "postgres-apparatus" };
  for await (const line of readLogs(client, pod, {}, AbortSignal.timeout(300_000))) {
    lines.push(LogLine.parse(JSON.parse(line)));
  }
  return lines.filter((line) => line.plug === plug && line.call === call);
}

test("both plugs couple, and each Secret gives access to a database of its own", async () => {
  for (const name of ["orders", "customers"]) {
    await expect.poll(() => stateOf(name)).toContain('"reason":"CouplingSucceeded"');
    const { uri = "", database: own = "" } = await resultOf(name);
    const sql = postgres(uri, { max: 1 });
    await sql`create table things as select ${name}::text as name`;
    const [row] = await sql<{ name: string }[]>`select current_database() as name`;
    expect(row?.name).toBe(own);
    await sql.end();
  }
  expect(await databases()).toHaveLength(2);
});

test("a caller with the token of another service account is refused", async () => {
  const ref = { apiVersion: "v1", kind: "Pod", namespace: database, name: "postgres-apparatus" };
  const address = String(valueAt(await client.get(ref), ["status", "podIP"]));
  const options = { audiences: ["integration-operator"], expirationSeconds: 600 };
  const { token } = await requestToken(client, { namespace: shop, name: "default" }, options);
  const call = (headers: Record<string, string>) =>
    fetch(`http://${address}:3000/socket/decoupled`, { method: "POST", body: "{}", headers });
  expect((await call({})).status).toBe(401);
  expect((await call({ authorization: "Bearer forged" })).status).toBe(401);
  expect((await call({ authorization: `Bearer ${token.reveal()}` })).status).toBe(403);
});

test("after kill -9 of Tenon during the creation of a database, the call is repeated with the same id, and the database exists once", async () => {
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = superuser.begin(async (sql) => {
    await sql`lock table pg_catalog.pg_database in exclusive mode`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const { apiVersion, kind, name, namespace } = plugRef("invoices");
  const spec = { interfaceName: "postgres", socket: { name: "postgres", namespace: database } };
  await client.create({ apiVersion, kind, metadata: { name, namespace: namespace ?? "" }, spec });
  const waiting = () =>
    superuser`select from pg_stat_activity where query like 'create database%' and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting()).count).toBe(1);
  await stopOperator("SIGKILL");
  release.resolve();
  await holding;
  await startOperator();
  await expect.poll(() => stateOf(name)).toContain('"reason":"CouplingSucceeded"');
  expect(await databases()).toHaveLength(3);
  const calls = await callsFor(`${shop}/${name}`, "coupled");
  expect(new Set(calls.map(({ id }) => id)).size).toBe(1);
  await client.delete(plugRef(name));
  await expect.poll(() => client.find(plugRef(name))).toBeUndefined();
  expect(await databases()).toHaveLength(2);
});

test("a plug that is deleted while Tenon is down loses its database, and the others keep theirs", async () => {
  const before = await databases();
  await stopOperator("SIGKILL");
  await client.delete(plugRef("orders"));
  await startOperator();
  await expect.poll(() => client.find(plugRef("orders"))).toBeUndefined();
  const { database: kept = "" } = await resultOf("customers");
  expect(before).toContain(kept);
  expect(await databases()).toEqual([kept]);
});

test("a plug with retain keeps its database, and the login is disabled", async () => {
  const { uri = "", database: kept = "" } = await resultOf("customers");
  await client.delete(plugRef("customers"));
  await expect.poll(() => client.find(plugRef("customers"))).toBeUndefined();
  expect(await databases()).toEqual([kept]);
  const sql = postgres(uri, { max: 1 });
  await expect(sql`select 1`).rejects.toThrow("not permitted to log in");
  await sql.end();
});
