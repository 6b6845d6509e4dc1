import { describe, test } from "vitest";
import { valueAt } from "#base";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";
import { conditionOf } from "./unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const configMap = (name: string, namespace: string, data: object): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data,
});
const secret = (name: string, stringData: object): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: world.app },
  stringData,
});
const failure = async (name: string) => {
  const plug = await world.waitFor(world.ref("Plug", name), (found) => conditionOf(found, "Failed") !== undefined);
  return String(conditionOf(plug, "Failed")?.["message"]);
};
/** What the Secret with the results holds, in clear. */
async function resultsOf(plug: KubeObject): Promise<unknown> {
  const binding = String(valueAt(plug, ["status", "binding", "name"]));
  const { data } = { data: {}, ...(await world.client.find(world.ref("Secret", binding, world.app))) };
  const texts = Object.entries(Object(data)).map(([key, value]) => [key, atob(String(value))]);
  const { type: _, provider: __, ...results } = Object.fromEntries(texts);
  return results;
}
/** Says how often a stage ran: the uid of what it makes anew. */
const anew = (name: string) => ({ when: ["coupled", "updated"], do: "recreate", template: configMapTemplate(name) });
const uidOf = async (name: string) => (await world.client.find(world.ref("ConfigMap", name, world.prov)))?.metadata.uid;

const variable = (name: string, more: object = {}, fieldPath = "data.x") => ({
  name: "v",
  objref: { apiVersion: "v1", kind: "ConfigMap", name, ...more },
  fieldref: { fieldPath },
});

const statusAt = (name: string, found: KubeObject | undefined) => valueAt(found, ["status", ...name.split(".")]);

const arnOf = (found: KubeObject | undefined) => valueAt(found, ["status", "coupledResult", "socket", "arn"]);

describe.concurrent("sources", () => {
  test("a var or field that does not exist is a warning with template and line, when a stage runs and not otherwise", async ({
    expect,
  }) => {
    await world.apply(
      configMap("given", world.app, { x: "1" }),
      world.socket("s-empty", {
        interface: { config: { plug: { size: {}, b: {} } } },
        resources: [
          {
            stringTemplate:
              "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: of-empty }\ndata: { a: {% .plugConfig.sise | quote %}, b: {% .plugConfig.size | quote %} }\n",
          },
        ],
      }),
      world.plug("p-empty", {
        ...on("s-empty"),
        vars: [variable("given", {}, "data.y")],
        configTemplate: { b: "<{% .vars.w %}>" },
      }),
    );
    await world.waitUntilCoupled("p-empty");
    const messages = async (kind: "Plug" | "Socket", name: string, namespace: string) => {
      await world.flush();
      const { items } = await world.client.list({ apiVersion: "events.k8s.io/v1", kind: "Event", namespace });
      return items
        .filter((event) => event["reason"] === "EmptyValue" && valueAt(event, ["regarding", "name"]) === name)
        .filter((event) => valueAt(event, ["regarding", "kind"]) === kind)
        .map((event) => event["note"]);
    };
    expect(await messages("Plug", "p-empty", world.app)).toEqual([
      `spec.vars[0]: ConfigMap ${world.app}/given has no data.y, and var v is empty; Plug ${world.app}/p-empty spec.configTemplate.b line 1: .vars.w does not exist, and is empty`,
    ]);
    expect(await messages("Socket", "s-empty", world.prov)).toEqual([
      "spec.resources[0].stringTemplate line 4: .plugConfig.sise does not exist, and is empty",
    ]);
    await world.client.patch(world.ref("Plug", "p-empty"), {
      type: "merge",
      body: { metadata: { annotations: { "integration.rock8s.com/retry": "1" } } },
    });
    await world.settle();
    expect((await world.events("Plug", "p-empty")).filter((reason) => reason === "EmptyValue")).toHaveLength(1);
  });

  test.for([
    { name: "missing", spec: { configSecretName: "none" }, side: "socket" },
    { name: "template", spec: { configTemplate: { a: '{% fail "no" %}' } }, side: "socket" },
    { name: "denied", spec: { configSecretName: "none", serviceAccountName: "nobody" }, side: "socket" },
    { name: "required", spec: { interface: { config: { socket: { a: { required: true } } } } }, side: "socket" },
    { name: "var", spec: { vars: [variable("none")] }, side: "socket" },
    { name: "result", spec: { resultTemplate: { a: '{% fail "no" %}' } }, side: "socket" },
    { name: "own", spec: { interface: { config: { plug: { a: { required: true } } } } }, side: "plug" },
  ])("a failure while values are read says whose turn it is: $name", async ({ name, spec, side }, { expect }) => {
    const id = `turn-${name}`;
    await world.apply(world.socket(id, spec), world.plug(id, on(id)));
    const failed = await world.waitFor(world.ref("Plug", id), (found) => conditionOf(found, "Failed") !== undefined);
    expect(statusAt("lastError", failed)).toMatchObject({ side, stage: name === "result" ? "result" : "config" });
    const asks = `; ask the owner of Socket ${world.prov}/${id}`;
    expect(String(conditionOf(failed, "Failed")?.["message"]).includes(asks)).toBe(side === "socket");
  });

  const keys = ["a", "b", "c", "d"];
  const precedence = (suffix: string) => ({
    configSecretName: `sec${suffix}`,
    config: { b: "inline", c: "inline" },
    configTemplate: { c: "tpl-{% .plug.metadata.name %}", d: "tpl" },
    configConfigMapName: `cm${suffix}`,
    result: {},
    resultTemplate: Object.fromEntries(keys.map((key) => [key, `{% .plugConfig.${key} %}`])),
  });
  const everywhere = Object.fromEntries(keys.map((key) => [key, "hush"]));

  test("H20: the strongest of several config sources wins, and a value from a Secret shows as a fingerprint", async ({
    expect,
  }) => {
    await world.apply(
      secret("sec20", everywhere),
      configMap("cm20", world.app, { d: "cm" }),
      world.socket("s20", {}),
      world.plug("p20", { ...on("s20"), ...precedence("20") }),
    );
    const plug = await world.waitUntilCoupled("p20");
    expect(await resultsOf(plug)).toEqual({ a: "hush", b: "inline", c: "tpl-p20", d: "cm" });
    expect(valueAt(plug, ["status", "coupledResult", "plug"])).toEqual({
      a: expect.stringMatching(/^sha256:[0-9a-f]{8}$/),
      b: "inline",
      c: "tpl-p20",
      d: "cm",
    });
  });

  test("H27: a changed source runs updated once on each side, and changed metadata of it runs nothing", async ({
    expect,
  }) => {
    await world.apply(
      secret("sec27", everywhere),
      configMap("cm27", world.app, { d: "cm" }),
      world.socket("s27", { resources: [anew("stage27")] }),
      world.plug("p27", { ...on("s27"), ...precedence("27") }),
    );
    await world.waitUntilCoupled("p27");
    const first = await uidOf("stage27");
    await world.apply({ ...configMap("cm27", world.app, { d: "cm2" }) });
    await world.waitFor(
      world.ref("Plug", "p27"),
      (found) => valueAt(found, ["status", "coupledResult", "plug", "d"]) === "cm2",
    );
    const second = await uidOf("stage27");
    expect(second).not.toBe(first);
    await world.settle();
    await expect.poll(() => world.events("Plug", "p27")).toEqual(["PlugCreated", "PlugCoupled", "PlugUpdated"]);
    const reads = () => world.calls.filter((call) => call.startsWith("GET") && call.endsWith("configmaps/cm27")).length;
    const before = reads();
    const touched = configMap("cm27", world.app, { d: "cm2" });
    await world.apply({ ...touched, metadata: { ...touched.metadata, labels: { a: "b" } } });
    await expect.poll(reads).toBeGreaterThan(before);
    await world.settle();
    expect(await uidOf("stage27")).toBe(second);
    expect(await world.events("Plug", "p27")).toEqual(["PlugCreated", "PlugCoupled", "PlugUpdated"]);
  });

  test("an unstable result is the same everywhere, and stays so until the next update", async ({ expect }) => {
    const made = configMapTemplate("made-{% .plug.metadata.name %}", { pin: "{% .result.pin %}" });
    await world.apply(
      world.socket("s-anew", {
        resultTemplate: { pin: "{% randNumeric 12 %}" },
        resultResources: [{ template: made }],
      }),
      world.plug("p-anew", on("s-anew")),
    );
    async function told() {
      const plug = await world.waitUntilCoupled("p-anew");
      return {
        inStatus: valueAt(plug, ["status", "coupledResult", "socket", "pin"]),
        inSecret: valueAt(await resultsOf(plug), ["pin"]),
        inObject: valueAt(await world.dataOf("made-p-anew", world.prov), ["pin"]),
      };
    }
    const first = await told();
    expect(new Set(Object.values(first)).size).toBe(1);
    await world.apply(world.plug("p-anew", { ...on("s-anew"), config: { a: "b" } }));
    const second = await told();
    expect(new Set(Object.values(second)).size).toBe(1);
    expect(second.inStatus).not.toBe(first.inStatus);
    // Something that makes the operator look, and changes nothing.
    await world.client.patch(world.ref("Plug", "p-anew"), {
      type: "merge",
      body: { metadata: { annotations: { "integration.rock8s.com/decouple-timeout": "9s" } } },
    });
    await world.settle();
    expect(await told()).toEqual(second);
  });

  test("H21: the strongest of several data sources wins, and config sources do not count as data", async ({
    expect,
  }) => {
    await world.apply(
      secret("sec21", { a: "s", b: "s" }),
      configMap("data21", world.app, { c: "cm" }),
      configMap("config21", world.app, { z: "z" }),
      world.socket("s21", {}),
      world.plug("p21", {
        ...on("s21"),
        dataSecretName: "sec21",
        data: { b: "inline", c: "inline" },
        dataConfigMapName: "data21",
        configConfigMapName: "config21",
        configTemplate: { o: "{% .plugData.a %}-{% .plugData.b %}-{% .plugData.c %}-{% .plugData.z %}" },
        resultTemplate: { o: "{% .plugConfig.o %}" },
      }),
    );
    expect(await resultsOf(await world.waitUntilCoupled("p21"))).toEqual({ o: "s-inline-cm-" });
  });

  test("H24: a missing source is named, and the plug couples once it exists", async ({ expect }) => {
    await world.apply(world.socket("s24", {}), world.plug("p24", { ...on("s24"), configSecretName: "sec24" }));
    expect(await failure("p24")).toContain(`Secret ${world.app}/sec24 does not exist`);
    await world.apply(secret("sec24", { a: "b" }));
    await world.waitUntilCoupled("p24");
  });

  test("H25: a source is read with the rights of the plug's service account only", async ({ expect }) => {
    await world.apply(
      secret("sec25", { a: "b" }),
      world.socket("s25", {}),
      world.plug("p25", { ...on("s25"), serviceAccountName: "nobody25", configSecretName: "sec25" }),
    );
    const message = await failure("p25");
    expect(message).toContain(`system:serviceaccount:${world.app}:nobody25`);
    expect(message).toContain("secrets");
    expect(message).toContain(`service account ${world.app}/nobody25 does not exist: create it, or name another one`);
  });

  test("H31: a var that refers to another namespace is refused", async ({ expect }) => {
    await world.apply(
      world.socket("s31", {}),
      world.plug("p31", { ...on("s31"), vars: [variable("a", { namespace: "other" })] }),
    );
    expect(await failure("p31")).toContain(`var objRef namespace other must be ${world.app}`);
  });

  test("H34: the object of a var must exist, its field need not", async ({ expect }) => {
    await world.apply(
      world.socket("s34", {}),
      world.plug("p34", {
        ...on("s34"),
        vars: [variable("late34")],
        configTemplate: { v: "[{% .vars.v %}]" },
        resultTemplate: { v: "{% .plugConfig.v %}" },
      }),
    );
    expect(await failure("p34")).toContain(`ConfigMap ${world.app}/late34 does not exist`);
    await world.apply(configMap("late34", world.app, { y: "z" }));
    expect(await resultsOf(await world.waitUntilCoupled("p34"))).toEqual({ v: "[]" });
  });

  test("a var of any kind is watched: its change runs updated, and an object that may not be watched is polled and listed", async ({
    expect,
  }) => {
    const service = (name: string, port: number): KubeObject => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: world.app },
      spec: { ports: [{ port }] },
    });
    const port = {
      name: "port",
      objref: { apiVersion: "v1", kind: "Service", name: "service-var" },
      fieldref: { fieldPath: "spec.ports[0].port" },
    };
    const spec = {
      vars: [port],
      configTemplate: { port: "{% .vars.port %}" },
      resultTemplate: { port: "{% .plugConfig.port %}" },
    };
    const rbac = "rbac.authorization.k8s.io";
    const reader = { name: "reader", namespace: world.app };
    await world.client.create({
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: reader,
      rules: [{ apiGroups: [""], resources: ["services"], verbs: ["get"] }],
    });
    await world.client.create({
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: reader,
      roleRef: { apiGroup: rbac, kind: "Role", name: "reader" },
      subjects: [{ kind: "ServiceAccount", ...reader }],
    });
    await world.apply(
      service("service-var", 80),
      world.socket("s-var", {}),
      world.plug("p-var", { ...on("s-var"), ...spec }),
      world.plug("p-polled", { ...on("s-var"), ...spec, serviceAccountName: "reader" }),
    );
    await world.waitFor(world.ref("Plug", "p-var"), (found) => statusAt("coupledResult.plug.port", found) === "80");
    await world.waitFor(
      world.ref("Plug", "p-polled"),
      (found) => JSON.stringify(statusAt("polled", found)) === JSON.stringify([`Service ${world.app}/service-var`]),
    );
    await world.apply(service("service-var", 81));
    const plug = await world.waitFor(
      world.ref("Plug", "p-var"),
      (found) => statusAt("coupledResult.plug.port", found) === "81",
    );
    expect(statusAt("polled", plug)).toBe(undefined);
  });

  test.for([
    {
      id: "36",
      name: "resultVars",
      reason: "H36: a required result that is late is waited for, and no stage runs again",
    },
    {
      id: "36v",
      name: "vars",
      reason: "H36: a required result from vars that is late is waited for, and no stage runs again",
    },
  ])("$reason", async ({ id, name }, { expect }) => {
    const spec = {
      interface: { result: { socket: { arn: { required: true } } } },
      resultVars: [
        {
          name: "arn",
          objref: { apiVersion: "v1", kind: "ConfigMap", name: `late${id}`, namespace: world.prov },
          fieldref: { fieldPath: "data.arn" },
        },
      ],
      resultTemplate: { arn: `{% .${name}.arn %}` },
      resources: [anew(`job${id}`)],
    };
    const plug = world.ref("Plug", `p${id}`);
    const late = (data: object) => configMap(`late${id}`, world.prov, data);
    await world.apply(late({ x: "y" }), world.socket(`s${id}`, spec), world.plug(`p${id}`, on(`s${id}`)));
    await world.waitForReason(`p${id}`, "WaitingForResult");
    const first = await uidOf(`job${id}`);
    await world.apply(late({ x: "z" }));
    await world.apply(late({ arn: "X" }));
    expect(arnOf(await world.waitUntilCoupled(`p${id}`))).toBe("X");
    expect(await uidOf(`job${id}`)).toBe(first);

    await world.apply(late({ x: "y" }), world.plug(`p${id}`, { ...on(`s${id}`), epoch: "2" }));
    await world.waitFor(
      plug,
      (found) =>
        conditionOf(found, "Coupled")?.["reason"] === "WaitingForResult" &&
        valueAt(found, ["status", "pairing", "generation"]) === 2,
    );
    const second = await uidOf(`job${id}`);
    expect(second).not.toBe(first);
    await world.apply(late({ x: "z" }));
    await world.apply(late({ arn: "Y" }));
    await world.waitFor(plug, (found) => arnOf(found) === "Y");
    await world.waitUntilCoupled(`p${id}`);
    expect(await uidOf(`job${id}`)).toBe(second);
  });

  test("a result that changes later is noticed, and runs no stage", async ({ expect }) => {
    const result = (text: string) => configMap("result-late", world.prov, { r: text });
    await world.apply(
      result("one"),
      world.socket("s-late", { resultConfigMapName: "result-late", resources: [anew("stage-late")] }),
      world.plug("p-late", {
        ...on("s-late"),
        resultResources: [{ template: configMapTemplate("told-late", { r: "{% .socketResult.r %}" }) }],
      }),
    );
    await world.waitUntilCoupled("p-late");
    const first = await uidOf("stage-late");
    await world.apply(result("two"));
    await expect.poll(() => world.dataOf("told-late", world.app)).toEqual({ r: "two" });
    expect(await resultsOf(await world.waitUntilCoupled("p-late"))).toEqual({ r: "two" });
    expect(await uidOf("stage-late")).toBe(first);
  });

  test("another Secret with the name of the result Secret is not changed", async ({ expect }) => {
    await world.apply(
      secret("p-name-integration-result", { mine: "yes" }),
      world.socket("s-name", { result: { a: "b" } }),
      world.plug("p-name", on("s-name")),
    );
    expect(await failure("p-name")).toContain(`Secret ${world.app}/p-name-integration-result already exists`);
    await world.client.delete(world.ref("Plug", "p-name"), {});
    await world.waitUntilDeleted(world.ref("Plug", "p-name"));
    const left = await world.client.find(world.ref("Secret", "p-name-integration-result", world.app));
    expect(Object.keys(Object(left?.["data"]))).toEqual(["mine"]);
  });
});
