import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseYamlDocuments } from "#yaml";
import { Plug } from "#coupling";
import { useCoupling } from "#harness";
import { isKubeObject, type KubeObject } from "#kube";

const directory = join(import.meta.dirname, "..", "..", "examples", "coupling");
const world = useCoupling();
const namespaces = new Set<string>();

afterAll(async () => {
  const refs = [...namespaces].map((name) => ({ apiVersion: "v1", kind: "Namespace", name }));
  await Promise.all(refs.map((ref) => world.client.delete(ref)));
  for (const ref of refs) await world.waitFor(ref, (found) => found === undefined);
});

interface Expected {
  readonly file: string;
  readonly shows: string;
  readonly reason?: string;
  readonly result?: object;
  /** In clear, from the Secret that the plug's status points to. */
  readonly bound?: Readonly<Record<string, string>>;
  readonly makes?: readonly (readonly [kind: string, namespace: string, name: string])[];
}

const examples: readonly Expected[] = [
  { file: "plug.yaml", shows: "a socket, and a plug whose config is a Secret" },
  {
    file: "data.yaml",
    shows: "data of three sources in the templates of the other side",
    result: { socket: { greeting: "hello admin in zone north" } },
  },
  { file: "vars.yaml", shows: "a field of a Job that has run", result: { plug: { jobSuccessful: "1" } } },
  {
    file: "config.yaml",
    shows: "a config of four sources",
    result: { socket: { url: "http://web.example.com:8080/api" } },
  },
  {
    file: "results.yaml",
    shows: "results of four sources, secret ones as fingerprints",
    result: { socket: { hello: "world", foo: "bar", zone: "north", token: expect.stringMatching(/^sha256:/) } },
    bound: { hello: "world", foo: "bar", zone: "north", token: "not-a-real-token", provider: "results" },
  },
  {
    file: "interface.yaml",
    shows: "defaults, required keys and dropped ones",
    result: { socket: { foo: "hello world" }, plug: { bar: "kept" } },
  },
  { file: "interface-name.yaml", shows: "a mongo plug before a postgres socket", reason: "InterfaceMismatch" },
  {
    file: "resources.yaml",
    shows: "objects, and one that depends on the result",
    makes: [
      ["Job", "resources", "my-job"],
      ["Job", "resources", "my-result-job"],
    ],
  },
  // Fake nodes run nothing; that it couples on a real one is shown by test/e2e/install.test.ts.
  { file: "apparatus.yaml", shows: "a socket that waits for its pod", reason: "SocketNotCreated" },
  {
    file: "postgres.yaml",
    shows: "a database for each application",
    makes: [["Job", "database", "create-shop-postgres"]],
    bound: { url: "postgres://admin:not-a-real-password@postgres.database.svc:5432/shop", type: "postgres" },
  },
];

describe.for(examples)(
  "$file shows $shows",
  ({ file, reason = "CouplingSucceeded", result = {}, bound = {}, makes = [] }) => {
    test("the example reaches the expected condition, objects and result", async () => {
      const objects = await readExample(file);
      for (const { kind, metadata } of objects) if (kind === "Namespace") namespaces.add(metadata.name);
      await world.apply(...objects);
      const plugObject = objects.find(({ kind }) => kind === "Plug");
      if (!plugObject) throw new Error("an example has a plug");
      const { name, namespace } = plugObject.metadata;
      const ref = { apiVersion: Plug.apiVersion, kind: "Plug", namespace, name };
      const { status } = Plug.parse(await world.waitFor(ref, (found) => reasonOf(found) === reason));
      expect(status?.coupledResult ?? {}).toMatchObject(result);
      for (const [kind, place, made] of makes) {
        expect(await world.client.find({ apiVersion: "batch/v1", kind, namespace: place, name: made })).toBeDefined();
      }
      const secret = { apiVersion: "v1", kind: "Secret", namespace, name: status?.binding?.name ?? "none" };
      const data = Object.entries(bound).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
      expect((await world.client.find(secret))?.["data"] ?? {}).toMatchObject(Object.fromEntries(data));
    });
  },
);

test("every example file has a test", async () => {
  const files = (await readdir(directory)).filter((file) => file.endsWith(".yaml"));
  expect(files.toSorted()).toEqual(examples.map(({ file }) => file).toSorted());
});

function reasonOf(found: KubeObject | undefined): string | undefined {
  const conditions = found && Plug.parse(found).status?.conditions;
  return conditions?.find(({ type }) => type === "Coupled")?.reason;
}

async function readExample(file: string): Promise<KubeObject[]> {
  const text = await readFile(join(directory, file), "utf8");
  return parseYamlDocuments(text, { file }).map(({ value, line }) => {
    if (isKubeObject(value)) return value;
    throw new Error(`${file}:${line}: no object`);
  });
}
