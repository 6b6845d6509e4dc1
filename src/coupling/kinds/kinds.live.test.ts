import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installKinds } from "#crd";
import { testKubeconfig, useNamespace } from "#harness";
import {
  connect,
  createClient,
  isKubeObject,
  type KubeClient,
  type KubeObject,
  loadAccess,
  type Transport,
} from "#kube";
import { parseYamlDocuments } from "#yaml";
import { mistakes } from "./mistakes.fixture.ts";
import { apiVersion } from "./names.ts";
import { Plug } from "./plug.ts";
import { Socket } from "./socket.ts";

const { namespace } = useNamespace();
const examples = join(import.meta.dirname, "../../../examples/coupling");
const dryRun = { dryRun: true };
let transport: Transport | undefined;
let client: KubeClient;

beforeAll(async () => {
  transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
  client = createClient(transport);
  await installKinds(client, [Plug, Socket]);
  for (const kind of [Plug, Socket]) await client.discovery.whenServed(kind, AbortSignal.timeout(300_000));
});

afterAll(async () => {
  await transport?.[Symbol.asyncDispose]();
});

/** What the server would store, and what Tenon then reads. */
async function tryOut(kind: "Plug" | "Socket", spec: object): Promise<object> {
  const object = { apiVersion, kind, metadata: { name: "a", namespace }, spec };
  const made = await client.create(object, dryRun);
  return (kind === "Plug" ? Plug : Socket).parse(made).spec;
}

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } };
const objref = { version: "v1", kind: "ConfigMap", name: "x" };

describe.each(readdirSync(examples).filter((file) => file.endsWith(".yaml")))("examples/coupling/%s", (file) => {
  const documents = parseYamlDocuments(readFileSync(join(examples, file), "utf8"));
  const objects = documents.flatMap(({ value }: { readonly value: unknown }) => (isKubeObject(value) ? [value] : []));

  test("the API server accepts the example", async () => {
    expect(objects.length).toBe(documents.length);
    for (const object of objects.filter(({ kind }) => kind !== "Namespace")) await client.create(moved(object), dryRun);
  });

  test("the API server stores every field of the example", async () => {
    for (const object of objects.filter(({ kind }) => kind === "Plug" || kind === "Socket")) {
      const made = await client.create(moved(object), dryRun);
      expect(made["spec"]).toEqual(object["spec"]);
    }
  });
});

function moved(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

describe("manifests of integration-operator apply unchanged", () => {
  const upstreamSocket = {
    interface: {
      config: {
        plug: { database: { required: true } },
        socket: Object.fromEntries(
          ["protocol", "username", "password", "hostname", "port"].map((key) => [key, { required: true }]),
        ),
      },
    },
    config: { protocol: "postgres", username: "admin", hostname: "postgres.prov.svc", port: "5432" },
    configSecretName: "postgres-secret",
    resources: [
      {
        when: ["coupled", "updated"],
        do: "recreate",
        template: {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: { name: "{% .plug.metadata.namespace %}" },
          spec: {
            template: {
              spec: {
                restartPolicy: "Never",
                containers: [
                  {
                    name: "psql",
                    image: "postgres",
                    env: [{ name: "PGPASSWORD", value: "{% .socketConfig.password %}" }],
                    command: ["createdb", "{% .plugConfig.database %}"],
                  },
                ],
              },
            },
          },
        },
      },
    ],
  };

  test.each([
    { kind: "Socket" as const, spec: upstreamSocket, reason: "the sample of a database" },
    {
      kind: "Plug" as const,
      spec: { socket: { name: "postgres", namespace: "prov" }, config: { database: "app" }, epoch: "1706000000" },
      reason: "the sample of an application",
    },
    { kind: "Plug" as const, spec: {}, reason: "no field is required" },
    { kind: "Socket" as const, spec: {}, reason: "no field is required" },
    {
      kind: "Plug" as const,
      spec: {
        socket: { name: "s", namespace: "" },
        configSecretName: "",
        serviceAccountName: "",
        apparatus: undefined,
      },
      reason: "charts render empty texts",
    },
    {
      kind: "Socket" as const,
      spec: { apparatus: { endpoint: "http://keycloak.prov.svc", idleTimeout: 60, containers: [] } },
      reason: "an apparatus elsewhere",
    },
    {
      kind: "Socket" as const,
      spec: { validation: { namespaceWhitelist: ["("], namespaceBlacklist: [] }, limit: 0 },
      reason: "the status says what cannot work",
    },
  ])("$kind: $reason", async ({ kind, spec }) => {
    expect(await tryOut(kind, spec)).toEqual(JSON.parse(JSON.stringify(spec)));
  });

  test("X23: an apparatus accepts every field of a pod's spec", async () => {
    const apparatus = {
      endpoint: "/socket",
      containers: [{ name: "a", image: "b", ports: [{ containerPort: 3000, name: "container", protocol: "TCP" }] }],
      initContainers: [{ name: "c", image: "d" }],
      volumes: [{ name: "v", emptyDir: {} }],
      tolerations: [{ operator: "Exists" }],
      securityContext: { runAsUser: 1 },
    };
    expect(await tryOut("Socket", { apparatus })).toEqual({ apparatus });
  });

  test("a property of the interface that is null stays and declares its key", async () => {
    const spec = { interface: { config: { plug: { a: null, b: {} } } } };
    expect(await tryOut("Socket", spec)).toEqual(spec);
  });

  test("the API server adds no defaults: stored objects are as written", async () => {
    const spec = { resources: [{ template: configMap }], vars: [{ name: "v", objref }] };
    expect(await tryOut("Plug", spec)).toEqual(spec);
  });
});

describe("mistakes are found when they are made", () => {
  test.each(mistakes)("$kind: $reason", async ({ kind, spec, says }) => {
    await expect(tryOut(kind, spec)).rejects.toThrow(says);
  });
});

test("a status that integration-operator wrote can be parsed", async () => {
  const identity = { apiVersion, namespace: "prov", uid: "0" };
  const condition = {
    type: "Coupled",
    status: "True",
    reason: "CouplingSucceeded",
    message: "coupling succeeded",
    lastTransitionTime: "2024-01-24T00:00:00Z",
    observedGeneration: 1,
  };
  const plug = await client.create({ apiVersion, kind: "Plug", metadata: { name: "old", namespace }, spec: {} });
  const status = {
    conditions: [condition],
    coupledSocket: { ...identity, kind: "Socket", name: "s" },
    coupledResult: { plug: { a: "b" }, socket: {}, observedGeneration: 1 },
  };
  const { name } = plug.metadata;
  const patch = { type: "merge", subresource: "status", body: { status } } as const;
  const written = await client.patch({ apiVersion, kind: "Plug", namespace, name }, patch);
  expect(Plug.parse(written).status).toEqual(status);
});

test.each([
  { plural: "plugs", columns: ["Name", "Socket", "Socket-NS", "Coupled", "Reason", "Age", "Message", "Failure"] },
  { plural: "sockets", columns: ["Name", "Plugs", "Coupled", "Reason", "Age", "Message", "Failure"] },
])("kubectl get $plural shows $columns", async ({ plural, columns }) => {
  const answer = await client.transport.send({
    method: "GET",
    path: `/apis/${apiVersion}/namespaces/${namespace}/${plural}`,
    headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
  });
  expect(JSON.parse(answer.body)).toMatchObject({
    columnDefinitions: columns.map((name) => ({ name })),
  });
});
