import { isDeepStrictEqual } from "node:util";
import { executeSync } from "graphql/execution";
import { parse } from "graphql/language";
import { buildSchema } from "graphql/utilities";
import { type Bundle, createQueryable, type Datafile, type FieldDescription, type TypeDescription } from "#bundle";
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { median } from "./measure.ts";

const namespaces = 2_000;
const resourcesEach = 8;
const runs = 15;

const query = `{
  namespaces_v1 {
    path
    name
    labels
    cluster { name serverUrl }
    environment { name parameters }
    resources {
      provider
      ... on Plain_v1 { path validate }
      ... on Secret_v1 { path version }
    }
  }
}`;

/** A query of nested data through references and an interface, against `graphql` alone on objects that are joined already. */
export async function measureBundleQuery(): Promise<void> {
  const files = dataFiles();
  const queryable = createQueryable(bundleOf(files));
  const plain = plainExecution(files);
  if (!isDeepStrictEqual(toPlain((await queryable.query(query)).data), toPlain(plain()))) {
    throw new Error("the two answers differ");
  }
  const times: { ours: number[]; plain: number[] } = { ours: [], plain: [] };
  for (let run = 0; run < runs; run++) {
    times.plain.push(processorMs(plain));
    times.ours.push(processorMs(() => queryable.query(query)));
  }
  const [ours, alone] = [median(times.ours), median(times.plain)];
  console.log(`query of ${namespaces} namespaces with ${resourcesEach} resources each: ${ours.toFixed(0)} ms`);
  console.log(`graphql alone: ${alone.toFixed(0)} ms, ratio ${(ours / alone).toFixed(2)} (bar: at most 1.5)\n`);
}

/** Processor time, not the clock's: other processes do not count. */
function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function dataFiles(): ReadonlyMap<string, JsonObject> {
  const files = new Map<string, JsonObject>();
  for (let index = 0; index < 40; index++) {
    const [name, serverUrl] = [`cluster-${index}`, `https://api.cluster-${index}.example.com:6443`];
    files.set(`/clusters/${index}.yml`, { name, serverUrl });
    const parameters = { REPLICAS: index, LOG_LEVEL: "info", IMAGE_TAG: "latest" };
    files.set(`/environments/${index}.yml`, {
      $schema: "/environment-1.yml",
      name: `environment-${index}`,
      parameters,
    });
  }
  for (let index = 0; index < namespaces; index++) {
    files.set(`/namespaces/${index}.yml`, {
      name: `namespace-${index}`,
      description: "one of many",
      labels: { team: `team-${index % 50}` },
      cluster: { $ref: `/clusters/${index % 40}.yml` },
      environment: { $ref: `/environments/${(index * 7) % 40}.yml` },
      resources: Array.from({ length: resourcesEach }, (_, at) =>
        at % 2 === 0
          ? { provider: "plain", path: `/services/${index}/${at}.yml`, validate: at % 4 === 0 }
          : { provider: "secret", path: `app/${index}/${at}`, version: at },
      ),
    });
  }
  return files;
}

/** `/clusters/1.yml` is of `/cluster-1.yml`. */
function schemaOf(path: string): string {
  return path.replace(/^(\/\w+)s\/.*/, "$1-1.yml");
}

function bundleOf(files: ReadonlyMap<string, JsonObject>): Bundle {
  const datafiles = Array.from(files, ([path, content]): [string, Datafile] => [
    path,
    { path, schema: schemaOf(path), content, sha256: "" },
  ]);
  return {
    identity: "bench",
    datafiles: new Map(datafiles),
    resources: new Map(),
    schemas: new Map(),
    types: typeDescriptions,
  };
}

const text = (name: string): FieldDescription => ({ name, type: "string" });

const typeDescriptions: readonly TypeDescription[] = [
  {
    name: "Query",
    fields: [{ name: "namespaces_v1", type: "Namespace_v1", isList: true, datafileSchema: "/namespace-1.yml" }],
  },
  {
    name: "Namespace_v1",
    datafile: "/namespace-1.yml",
    fields: [
      text("path"),
      text("name"),
      { name: "labels", type: "json" },
      { name: "cluster", type: "Cluster_v1", isRequired: true },
      { name: "environment", type: "Environment_v1", isRequired: true },
      { name: "resources", type: "Resource", isList: true, isInterface: true },
    ],
  },
  { name: "Cluster_v1", datafile: "/cluster-1.yml", fields: [text("name"), text("serverUrl")] },
  {
    name: "Environment_v1",
    datafile: "/environment-1.yml",
    fields: [text("name"), { name: "parameters", type: "json" }],
  },
  {
    name: "Resource",
    isInterface: true,
    interfaceResolve: { strategy: "fieldMap", field: "provider", fieldMap: { plain: "Plain_v1", secret: "Secret_v1" } },
    fields: [text("provider")],
  },
  {
    name: "Plain_v1",
    interface: "Resource",
    fields: [text("provider"), text("path"), { name: "validate", type: "boolean" }],
  },
  {
    name: "Secret_v1",
    interface: "Resource",
    fields: [text("provider"), text("path"), { name: "version", type: "int" }],
  },
];

const plainSchema = `
  scalar JSON
  type Query { namespaces_v1: [Namespace_v1!] }
  type Namespace_v1 { path: String name: String labels: JSON cluster: Cluster_v1! environment: Environment_v1! resources: [Resource!] }
  type Cluster_v1 { name: String serverUrl: String }
  type Environment_v1 { name: String parameters: JSON }
  interface Resource { provider: String }
  type Plain_v1 implements Resource { provider: String path: String validate: Boolean }
  type Secret_v1 implements Resource { provider: String path: String version: Int }
`;

/** A hand-written query over objects in memory, without our rules; JSON fields are strings already. */
function plainExecution(files: ReadonlyMap<string, JsonObject>): () => unknown {
  const schema = buildSchema(plainSchema);
  const document = parse(query);
  const rootValue = { namespaces_v1: [] as object[] };
  for (const [path, file] of files) {
    if (path.startsWith("/namespaces/")) rootValue.namespaces_v1.push({ ...joined(file, files), path });
  }
  return () => executeSync({ schema, document, rootValue }).data;
}

function joined(value: JsonValue, files: ReadonlyMap<string, JsonObject>): object {
  const result: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value ?? {})) result[key] = joinedPart(key, part, files);
  if ("provider" in result) result["__typename"] = result["provider"] === "plain" ? "Plain_v1" : "Secret_v1";
  return result;
}

function joinedPart(key: string, part: JsonValue, files: ReadonlyMap<string, JsonObject>): unknown {
  if (key === "labels" || key === "parameters") return JSON.stringify(part);
  if (isJsonList(part)) return part.map((item) => joined(item, files));
  return isJsonObject(part) ? joined(files.get(JSON.stringify(part["$ref"]).slice(1, -1)) ?? part, files) : part;
}
