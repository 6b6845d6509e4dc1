import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { testKubeconfig, useNamespace } from "#harness";
import { connectRaw, installLive, type LiveCrd } from "./live-crd.fixture.ts";
import { refusalCases } from "./refusal-cases.fixture.ts";

const { namespace } = useNamespace();
const api = await connectRaw(testKubeconfig());
const group = `r${crypto.randomUUID().slice(0, 8)}.tenon.test`;
const refused = refusalCases.filter((row) => row.byHand && !("differsOn" in row));
const accepted = refusalCases.filter((row) => row.byHand && "differsOn" in row);
let crd: LiveCrd | undefined;

function byHand(fields: Record<string, unknown>) {
  const schema = { type: "object", properties: { spec: { type: "object", properties: fields } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `hands.${group}`, annotations: {} },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "Hand", listKind: "HandList", plural: "hands", singular: "hand" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

beforeAll(async () => {
  const fields = Object.fromEntries(accepted.map((row, index) => [`f${index}`, row.byHand]));
  crd = await installLive(api, byHand(fields), namespace);
});

afterAll(async () => {
  await crd?.[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

describe("what the generator refuses, the server refuses when written by hand", () => {
  test.each(refused)("$construct: $reason", async (row) => {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
    const answer = await api.call("POST", path, byHand({ field: row.byHand }));
    expect([400, 422]).toContain(answer.status);
  });
});

const Answered = z.object({ spec: z.record(z.string(), z.unknown()) });

describe("or it accepts the definition, and it means something else than zod does", () => {
  test.each(accepted.map((row, index) => Object.assign({ field: `f${index}` }, row)))(
    "$construct: $reason",
    async (row) => {
      const answer = await crd?.tryOut({ spec: { [row.field]: row.differsOn } });
      const server = answer?.status === 201 ? { value: Answered.parse(answer.body).spec[row.field] } : "refused";
      const asJson: unknown = JSON.parse(JSON.stringify({ field: row.differsOn }));
      const parsed = z.object({ field: row.schema }).safeParse(asJson);
      const zod = parsed.success ? { value: parsed.data.field } : "refused";
      expect(server).not.toStrictEqual(zod);
    },
  );
});
