import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { testKubeconfig, useNamespace } from "#harness";
import { constructCases } from "./construct-cases.fixture.ts";
import { toCustomResourceDefinition } from "./custom-resource-definition.ts";
import { defineKind } from "./define-kind.ts";
import { connectRaw, installLive, type LiveCrd } from "./live-crd.fixture.ts";

const { namespace } = useNamespace();
const api = await connectRaw(testKubeconfig());
const fields = new Map(
  constructCases.map(({ construct, schema }, index) => [construct, { name: `f${index}`, schema }]),
);
const Spec = z.object(
  Object.fromEntries(
    [...fields.values()].map(({ name, schema }) => [
      name,
      schema._zod.optin === undefined ? schema.optional() : schema,
    ]),
  ),
);
const Everything = defineKind({
  group: `e${crypto.randomUUID().slice(0, 8)}.tenon.test`,
  version: "v1",
  kind: "Everything",
  scope: "Namespaced",
  description: "All constructs of the generator.",
  spec: Spec,
});
let crd: LiveCrd | undefined;

beforeAll(async () => {
  crd = await installLive(api, toCustomResourceDefinition(Everything), namespace);
});

afterAll(async () => {
  await crd?.[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

function installed(): LiveCrd {
  if (!crd) throw new Error("the definition was not installed");
  return crd;
}

const Answered = z.object({ spec: z.record(z.string(), z.unknown()) });

describe.each(constructCases)("$construct: $reason", ({ construct, accepts, refuses }) => {
  const name = fields.get(construct)?.name ?? "";

  test("the server accepts what zod accepts, and makes the same of it", async () => {
    for (const value of accepts) {
      const answer = await installed().tryOut({ spec: { [name]: value } });
      const made = answer.status === 201 ? Answered.parse(answer.body).spec[name] : answer.message;
      expect({ value, made }).toStrictEqual({ value, made: Spec.parse({ [name]: value })[name] });
    }
  });

  test("the server refuses what zod refuses, at that field", async () => {
    for (const value of refuses) {
      const { status, message } = await installed().tryOut({ spec: { [name]: value } });
      const isRefused = { byZod: !Spec.safeParse({ [name]: value }).success, byServer: status === 422 };
      expect({ value, ...isRefused }).toStrictEqual({ value, byZod: true, byServer: true });
      expect(message).toContain(`spec.${name}`);
    }
  });
});
