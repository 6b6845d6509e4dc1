import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { testKubeconfig, useNamespace } from "#harness";
import { fc, seed } from "#seeded";
import { toCustomResourceDefinition } from "./custom-resource-definition.ts";
import { defineKind } from "./define-kind.ts";
import { connectRaw, installLive } from "./live-crd.fixture.ts";
import { randomSchema } from "./random-schemas.fixture.ts";
import { toStructuralSchema } from "./to-structural-schema.ts";

const { namespace } = useNamespace();
const api = await connectRaw(testKubeconfig());
/** Few, because the server holds up the first object of a new definition for 2 s. */
const definitions = 5;
const schemasEach = 30;
const valuesEach = 6;

afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

const Answered = z.object({ spec: z.record(z.string(), z.unknown()).default({}) });

/** Printed as what the server gets to see. */
const withValues = randomSchema.chain(({ schema, values }) =>
  fc.array(values, { minLength: valuesEach, maxLength: valuesEach }).map((chosen) => ({
    schema,
    values: chosen,
    [fc.toStringMethod]: () => JSON.stringify({ schema: toStructuralSchema(schema, "f"), values: chosen }),
  })),
);

test(`of any schema of the grammar, zod and the server think alike (seed ${seed})`, async () => {
  let accepted = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(withValues, { minLength: schemasEach, maxLength: schemasEach }), async (rows) => {
      const fields = rows.map(({ schema }, index) => [`f${index}`, schema.optional()] as const);
      const Spec = z.object(Object.fromEntries(fields));
      const kind = defineKind({
        group: `x${crypto.randomUUID().slice(0, 8)}.tenon.test`,
        version: "v1",
        kind: "Random",
        scope: "Namespaced",
        description: "Anything.",
        spec: Spec,
      });
      await using crd = await installLive(api, toCustomResourceDefinition(kind), namespace);
      const verdicts = rows.flatMap(({ values }, index) =>
        values.map(async (value) => {
          const spec: unknown = JSON.parse(JSON.stringify({ [`f${index}`]: value }));
          const { status, body, message } = await crd.tryOut({ spec });
          const parsed = Spec.safeParse(spec);
          return {
            spec,
            message,
            server: status === 201 ? { value: Answered.parse(body).spec } : { status },
            zod: parsed.success ? { value: JSON.parse(JSON.stringify(parsed.data)) } : { status: 422 },
          };
        }),
      );
      for (const { spec, message, server, zod } of await Promise.all(verdicts)) {
        if ("value" in zod) accepted++;
        else refused++;
        expect({ spec, message, verdict: server }).toStrictEqual({ spec, message, verdict: zod });
      }
    }),
    { seed, numRuns: definitions, endOnFailure: true },
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan((definitions * schemasEach * valuesEach) / 5);
});
