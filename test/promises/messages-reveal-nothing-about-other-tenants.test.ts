import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, expect, test } from "vitest";
import { redact, valueAt } from "#base";
import { conditionOf, defaultApparatusSettings } from "#coupling";
import { configMapTemplate, useCoupling } from "#harness";
import type { KubeObject } from "#kube";

const password = "hunter22-of-another";
/** As no label may be, so that the API server quotes it. */
const phrase = "Hunter22 of Another";

const answered = "hunter44-of-an-apparatus";

/** Refuses in words that hold a guess; for one plug, it first answers with a result, and then refuses in words that hold that. */
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isAnswered = valueAt(await json(request), ["plug", "metadata", "name"]) === "answered";
  const status = isAnswered && request.url !== "/updated" ? 200 : 422;
  const error = isAnswered ? `the account ${answered} is in use` : `is it ${password}?`;
  response.writeHead(status).end(JSON.stringify({ error, ...(status === 200 ? { result: { answered } } : {}) }));
}
const server = createServer((request, response) => {
  void respond(request, response);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => void server.close());
const address = server.address();
const port = typeof address === "object" && address ? address.port : 0;
const debugEndpoints = { plug: `http://127.0.0.1:${port}` };
const world = useCoupling({ apparatusSettings: { ...defaultApparatusSettings, debugEndpoints } });
const on = (name: string) => ({ socket: { name, namespace: world.prov } });

function secret(name: string, namespace: string, stringData: Readonly<Record<string, string>>): KubeObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData };
}

/** Where it may not be, which is said with the namespace. */
function inNamespace(namespace: string) {
  return { template: { ...configMapTemplate("x"), metadata: { name: "x", namespace } } };
}

test("H89: a message does not confirm a guess about another tenant's Secret, and its values change no other tenant's messages", async () => {
  const theirs = await world.namespace("theirs");
  const values = { password, phrase, said: "coupling succeeded", word: "resource namespace" };
  const apparatus = { endpoint: "http://anywhere.example", containers: [] };
  const labelled = { ...configMapTemplate("x"), metadata: { name: "x", labels: { a: phrase } } };
  await world.apply(
    secret("theirs", theirs, values),
    {
      ...secret("own", world.app, { password: "hunter33-of-my-own" }),
      metadata: { name: "own", namespace: world.app, annotations: { note: "hunter33-in-a-note" } },
    },
    world.socket("open", {}),
    world.plug("victim", { ...on("open"), configSecretName: "theirs" }, theirs),
  );
  const victim = { ...world.ref("Plug", "victim"), namespace: theirs };
  await world.waitFor(victim, (found) => found !== undefined && conditionOf(found, "Coupled")?.["status"] === "True");
  expect(redact(password), "the process knows it, and keeps it from the log").toBe("***");

  await world.apply(
    world.plug("guess", { ...on("open"), resources: [inNamespace(password)] }),
    world.plug("ask-server", { ...on("open"), resources: [{ template: labelled }] }),
    world.plug("ask-apparatus", { ...on("open"), apparatus }),
    world.plug("own", {
      ...on("open"),
      configSecretName: "own",
      resources: [inNamespace("{% .plugConfig.password %}")],
    }),
    world.plug("own-var", {
      ...on("open"),
      vars: [
        {
          name: "note",
          objref: { apiVersion: "v1", kind: "Secret", name: "own" },
          fieldref: { fieldPath: "metadata.annotations.note" },
        },
      ],
      configTemplate: { note: '{% fail (printf "no %s" .vars.note) %}' },
    }),
    world.plug("answered", { ...on("open"), apparatus }),
    world.plug("content", on("open")),
  );
  const content = await world.waitUntilCoupled("content");
  const said = ["Coupled", "Ready"].map((type) => conditionOf(content, type)?.["message"]);
  expect(said).toEqual(["coupling succeeded", "coupling succeeded"]);
  await expectSaid("guess", `resource namespace ${password} must be ${world.app}`);
  await expectSaid("ask-server", phrase);
  await expectSaid("ask-apparatus", `is it ${password}?`);
  await expectSaid("own", `resource namespace *** must be ${world.app}`);
  await expectSaid("own-var", "no ***");
  await world.waitUntilCoupled("answered");
  await world.restart();
  await world.apply(world.plug("answered", { ...on("open"), apparatus, epoch: "2" }));
  await expectSaid("answered", "the account *** is in use");
  const log = world.lines.join("");
  expect([password, phrase, "hunter33", answered].filter((value) => log.includes(value))).toEqual([]);
});

/** By the condition that says why it failed. The Event names that condition, and nothing that may be secret. */
async function expectSaid(name: string, text: string): Promise<void> {
  const plug = await world.waitFor(
    world.ref("Plug", name),
    (found) => found !== undefined && conditionOf(found, "Failed")?.["status"] === "True",
  );
  expect(plug && conditionOf(plug, "Failed")?.["message"], `plug ${name}`).toContain(text);
  await world.flush();
  const events = await world.client.list({ apiVersion: "events.k8s.io/v1", kind: "Event", namespace: world.app });
  const notes = events.items.filter((event) => valueAt(event, ["regarding", "name"]) === name).map(({ note }) => note);
  expect(notes).toContainEqual(expect.stringMatching(/ failed.*; see the condition Failed$/));
}
