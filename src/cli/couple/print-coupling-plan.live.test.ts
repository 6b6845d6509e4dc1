import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { Secret } from "#base";
import { Plug, readCoupledState, type StageCall } from "#coupling";
import { testKubeconfig, useCoupling } from "#harness";
import type { KubeObject, ObjectRef } from "#kube";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { textWidth } from "../terminal/text-width.ts";

/** Answers each `coupled` with a result. */
const apparatus = {
  call: async ({ stage, object }: StageCall) =>
    object.spec.apparatus && stage === "coupled" ? new Map([["user", new Secret("shop")]]) : undefined,
  config: async () => undefined,
  forget: () => {},
};
const world = useCoupling({ apparatus });
const plugRef = (name: string) => ({ apiVersion: Plug.apiVersion, kind: "Plug", namespace: world.app, name });
const onSocket = (name: string) => ({ socket: { name, namespace: world.prov } });
const secret = "correct-horse-battery";
const configMap = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { all: "{% .plugConfig | toJson %}" },
});

function identity({ apiVersion, kind, metadata: { name, namespace, uid } }: KubeObject) {
  return { apiVersion, kind, name, namespace, uid };
}

async function plan(objects: readonly KubeObject[], ...words: string[]) {
  return await planIn(new FakeShell(), objects, ...words);
}

async function planIn(shell: FakeShell, objects: readonly KubeObject[], ...words: string[]) {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-plan-"));
  const file = join(directory.path, "objects.yaml");
  await writeFile(file, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
  const exitCode = await runCommandLine(
    ["couple", "plan", "-f", file, ...words, "--kubeconfig", testKubeconfig()],
    shell,
  );
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

beforeAll(async () => {
  await world.apply(
    world.socket("one", {
      resources: [{ template: configMap("one-{% .plug.metadata.name %}-{% .plugConfig.n %}") }],
      interface: { config: { plug: { n: { required: true } } } },
    }),
    world.socket("two", { limit: 1, resources: [{ template: configMap("two-{% .plug.metadata.name %}") }] }),
    world.plug("there", { ...onSocket("one"), config: { n: "1" } }),
  );
  await world.waitFor(plugRef("there"), (object) => object !== undefined && readCoupledState(object).isCoupled);
});

describe("tenon couple plan", () => {
  test("the plan of a new plug has the objects to create and the sources of the file, and changes nothing", async () => {
    const source = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "given", namespace: world.app },
      stringData: { n: secret },
    };
    const answer = await plan([world.plug("new", { ...onSocket("two"), configSecretName: "given" }), source]);
    expect(answer.exitCode).toBe(0);
    expect(
      answer.stdout.replaceAll(/ {2,}/g, " | "),
    ).toBe(`Plug ${world.app}/new: would be coupled to Socket ${world.prov}/two
STAGE | SIDE | ACTION | KIND | OBJECT | FIELD
coupled | socket | apply | ConfigMap | ${world.prov}/two-new | spec.resources[0].template

MAP | KEY | VALUE | SOURCE
plugConfig | n | *** | configSecretName given
`);
    expect(await world.client.find(plugRef("new"))).toBeUndefined();
  });

  test("the plan fits a terminal of 80 columns, with whole names, and the fields and calls below the tables", async () => {
    const containers = [{ name: "main", image: "i", ports: [{ name: "container", containerPort: 1 }] }];
    const plug = world.plug("parcels-tracking", {
      ...onSocket("two"),
      config: { n: "x".repeat(100) },
      apparatus: { endpoint: "/plug", containers },
    });
    const { stdout } = await planIn(new FakeShell({ columns: 80, env: { NO_COLOR: "1" } }), [plug]);
    const tooWide = stdout.split("\n").filter((line) => textWidth(line) > 80);
    expect(tooWide.filter((line) => !/^ +(POST )?http:/.test(line))).toEqual([]);
    expect(stdout).toContain(`http://parcels-tracking-apparatus.${world.app}.svc.cluster.local/plug/coupled\n`);
    const object = `${world.prov}/two-parcels-tracking`;
    expect(stdout).toContain(`ConfigMap  ${object}\n`);
    expect(stdout).toContain(`\n${object}\n  socket: spec.resources[0].template\n`);
  });

  test("the plan of a plug with a workload says where the binding would be mounted, and which keys it lacks", async () => {
    const workload = { kind: "Deployment", name: "none", env: [{ name: "URL", key: "url" }] };
    const given = world.plug("mounting", { ...onSocket("two"), workload });
    const { stdout } = await plan([given]);
    expect(stdout).toContain(
      `  the binding would be mounted in Deployment ${world.app}/none at /bindings/mounting as soon as it exists`,
    );
    expect(stdout).toContain("warning: spec.workload.env[0].key: the binding has no key url");
    const [planned] = JSON.parse((await plan([given], "-o", "json")).stdout);
    expect(planned.mount).toEqual({
      kind: "Deployment",
      namespace: world.app,
      name: "none",
      path: "/bindings/mounting",
      exists: false,
    });
  });

  test("the plan warns of a template that reads what does not exist", async () => {
    const resources = [{ template: configMap("typo-{% .plugConfg.name %}") }];
    const { stdout } = await plan([world.plug("typo", { ...onSocket("two"), resources })]);
    expect(stdout).toContain(
      `warning: Plug ${world.app}/typo: spec.resources[0].template.metadata.name line 1: .plugConfg.name does not exist, and is empty`,
    );
  });

  test("the plan of a changed plug has the objects to create and to remove", async () => {
    const { stdout } = await plan([world.plug("there", { ...onSocket("one"), config: { n: "2" } })], "-o", "json");
    const [{ stage, actions }] = JSON.parse(stdout);
    expect(stage).toBe("updated");
    expect(actions).toEqual([
      expect.objectContaining({ do: "apply", name: "one-there-2", stage: "updated", side: "socket" }),
      expect.objectContaining({ do: "remove", name: "one-there-1", stage: "updated", side: "socket" }),
    ]);
  });

  test("the plan of a moving plug decouples first", async () => {
    const { stdout } = await plan([world.plug("there", { ...onSocket("two"), config: { n: "1" } })], "-o", "json");
    const [{ stage, leaves, actions }] = JSON.parse(stdout);
    expect({ stage, leaves }).toEqual({ stage: "coupled", leaves: `${world.prov}/one` });
    expect(actions).toEqual([
      expect.objectContaining({ do: "remove", name: "one-there-1", stage: "decoupled" }),
      expect.objectContaining({ do: "apply", name: "two-there", stage: "coupled" }),
    ]);
  });

  test("the plan of a socket has its plugs", async () => {
    const changed = world.socket("one", { interface: { config: { plug: { m: { required: true } } } } });
    const { exitCode, stdout, stderr } = await plan([changed]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`Plug ${world.app}/there: would not couple to Socket ${world.prov}/one`);
    expect(stdout).toContain("plug config property 'm' is required");
    expect(stderr).toContain("1 of 1 plug would not couple");
  });

  test("the plan has the calls of apparatuses, and values that they may provide are not errors", async () => {
    const containers = [{ name: "main", image: "i", ports: [{ name: "container", containerPort: 1 }] }];
    const { exitCode, stdout } = await plan([
      world.socket("asked", { interface: { config: { plug: { given: { required: true } } } } }),
      world.plug("asks", { ...onSocket("asked"), apparatus: { endpoint: "/plug", containers } }),
    ]);
    expect(exitCode).toBe(0);
    const base = `http://asks-apparatus.${world.app}.svc.cluster.local/plug`;
    expect(stdout.replaceAll(/ {2,}/g, " | ")).toContain(`known only after coupling: values from the apparatus: `);
    expect(stdout.replaceAll(/ {2,}/g, " | ")).toContain(`config | plug | POST ${base}/config | if none runs
coupled | plug | POST ${base}/coupled | if none runs
`);
  });

  test("the plan has results of an apparatus as unknown, and not as removed", async () => {
    const called = { apparatus: { endpoint: "http://anywhere.example" } };
    const got = { template: configMap("got-{% .socketResult.user %}") };
    const needs = { interface: { result: { socket: { user: { required: true } } } } };
    await world.apply(
      world.socket("answers", { ...called, resultResources: [got] }),
      world.socket("needs", { ...called, ...needs }),
      world.plug("answered", onSocket("answers")),
      world.plug("needy", onSocket("needs")),
    );
    await world.waitUntilCoupled("answered");
    await world.waitUntilCoupled("needy");
    const { stdout } = await plan([world.plug("answered", { ...onSocket("answers"), epoch: "2" })], "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject([{ stage: "updated", open: "the answer of the apparatus", actions: [] }]);
    const shell = new FakeShell();
    await runCommandLine(["explain", `plug/${world.app}/needy`, "-o", "json", "--kubeconfig", testKubeconfig()], shell);
    expect(JSON.parse(shell.stdout.text).problems).toContain(
      "results, unless its apparatus has provided them: socket result property 'user' is required",
    );
  });

  test("the plan respects the limit of a socket, and a waiting plug is not an error", async () => {
    const plugs = ["a", "b"].map((name) => world.plug(name, onSocket("two")));
    const { exitCode, stdout } = await plan([...plugs, world.plug("c", onSocket("nowhere"))], "-o", "json");
    expect(exitCode).toBe(0);
    const plans: readonly { stage?: string; refusal?: { reason: string } }[] = JSON.parse(stdout);
    expect(plans.map(({ stage, refusal }) => stage ?? refusal?.reason)).toEqual([
      "coupled",
      "LimitReached",
      "SocketNotCreated",
    ]);
  });

  test("the plan reports what a service account may not read, and still has the other plugs", async () => {
    const blind = world.plug("blind", { ...onSocket("one"), serviceAccountName: "nobody", configSecretName: "any" });
    const { exitCode, stdout } = await plan([blind, world.plug("new", onSocket("two"))]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`system:serviceaccount:${world.app}:nobody`);
    expect(stdout).toContain(`Plug ${world.app}/new: would be coupled`);
  });

  test.for([
    { objects: [], says: /the file has no objects/, reason: "empty" },
    { objects: [{ kind: "Plug" }], says: /objects.yaml:1: not a Kubernetes object/, reason: "not an object" },
    {
      objects: [{ apiVersion: Plug.apiVersion, kind: "Plug", metadata: { name: "x" }, spec: { socket: {} } }],
      says: /objects.yaml:1: Plug default\/x: spec.socket.name/,
      reason: "a field is missing",
    },
    {
      objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } }],
      says: /the file affects no plugs/,
      reason: "nothing to plan",
    },
  ])("`tenon couple plan` of an invalid file fails: $reason", async ({ objects, says }) => {
    // @ts-expect-error these are deliberately not objects
    const { exitCode, stderr } = await plan(objects);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(says);
  });

  test("the plan warns of secrets that every namespace can read", async () => {
    const open = world.socket("open", { interface: { config: { socket: { key: { sensitive: true } } } } });
    const { exitCode, stdout } = await plan([open, world.plug("curious", onSocket("open"))]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      `warning: Socket ${world.prov}/open: plugs of every namespace can read config key key (sensitive); restrict`,
    );
  });

  test("the plan of a plug that integration-operator coupled says that it stays coupled and is updated", async () => {
    await world.stop();
    await world.apply(world.socket("former", {}), world.plug("former", onSocket("former")));
    const [plug, socket] = await Promise.all([
      world.client.get(plugRef("former")),
      world.client.get(world.ref("Socket", "former")),
    ]);
    const write = (ref: ObjectRef, status: object) =>
      world.client.patch(ref, { type: "merge", subresource: "status", body: { status } });
    await write(world.ref("Socket", "former"), { coupledPlugs: [identity(plug)] });
    await write(plugRef("former"), { coupledSocket: identity(socket), coupledResult: { observedGeneration: 1 } });
    const { stdout } = await plan([world.plug("former", onSocket("former"))]);
    expect(stdout).toContain(
      `Plug ${world.app}/former: would stay coupled, be taken over from integration-operator, and be updated once on Socket ${world.prov}/former`,
    );
    const json = await plan([world.plug("former", onSocket("former"))], "-o", "json");
    expect(JSON.parse(json.stdout)).toMatchObject([{ stage: "updated", takesOver: true }]);
  });
});
