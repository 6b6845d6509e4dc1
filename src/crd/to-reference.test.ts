import { describe, expect, test } from "vitest";
import { z } from "zod";
import { constructCases } from "./construct-cases.fixture.ts";
import { defineKind } from "./define-kind.ts";
import { referenceFields } from "./reference-fields.ts";
import { toReference } from "./to-reference.ts";
import { toStructuralSchema } from "./to-structural-schema.ts";
import { toyWidget } from "./toy-widget.fixture.ts";

describe("toReference", () => {
  const page = toReference(toyWidget("toys.example.dev"));

  test.each([
    { line: "# Widget", reason: "the title" },
    { line: "| Versions | `v1alpha1` (stored) |", reason: "facts" },
    { line: "  timeout: 30s", reason: "the example as YAML" },
    {
      line: '| `spec.size` | string |  | How much of the bench the widget takes. Default: `"Small"`. One of `"Small"` or `"Large"`. |',
      reason: "default and enum",
    },
    {
      line: "| `spec.owner` | string | yes | The team that answers for the widget. 1 to 63 characters. Rule: cannot change (`self == oldSelf`). |",
      reason: "required, lengths, rules in words",
    },
    {
      line: "| `spec.ports[*].port` | integer | yes | TCP. At least 1. At most 65535. |",
      reason: "a field of a list's items",
    },
    {
      line: "| `spec.labels` | map of string |  | Anything else, by name. At most 8 entries. Each: At most 63 characters. |",
      reason: "a map",
    },
    {
      line: "- Rule: the name has at most 40 characters (`self.metadata.name.size() <= 40`).",
      reason: "rules of the whole",
    },
    { line: "| Size | `.spec.size` | How large it is. |", reason: "columns" },
  ])("has $reason", ({ line }) => {
    expect(page.split("\n")).toContain(line);
  });

  test("every row of a table has as many cells as its head, whatever patterns and rules contain", () => {
    const spec = z.object(
      Object.fromEntries(constructCases.map(({ schema }, index) => [`f${index}`, schema.optional()])),
    );
    const odd = spec.extend({
      odd: z
        .string()
        .regex(/^[|`]$/)
        .describe("Two\nlines | and a pipe"),
    });
    const everything = defineKind({
      group: "example.dev",
      version: "v1",
      kind: "All",
      scope: "Cluster",
      description: "All.",
      spec: odd,
    });
    const rows = toReference(everything)
      .split("\n")
      .filter((line) => line.startsWith("| `spec"));
    expect(rows).toHaveLength(rows.filter((row) => row.split(/(?<!\\)\|/).length === 6).length);
    expect(rows.length).toBeGreaterThan(constructCases.length);
  });
});

test.each([
  { schema: z.number().gt(1).lt(2), says: "More than 1. Less than 2.", reason: "exclusive bounds" },
  { schema: z.int(), says: "", reason: "bounds that only say what an integer is are left out" },
  { schema: z.int32().multipleOf(5), says: "A multiple of 5.", reason: "multiples" },
  {
    schema: z.array(z.string().length(2)).min(1),
    says: "At least 1 items. Each: Exactly 2 characters.",
    reason: "items",
  },
  {
    schema: z.iso.date().regex(/6$/),
    says: expect.stringMatching(/^Matches `.*`\. Matches `6\$`\.$/),
    reason: "two patterns, and no bounds that are for lists",
  },
  { schema: z.looseObject({ a: z.string() }), says: "May have any other field.", reason: "open objects" },
  { schema: z.string().describe("No full stop"), says: "No full stop.", reason: "sentences end" },
  {
    schema: z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("a"), x: z.string() }),
      z.strictObject({ type: z.literal(["b", "c"]) }),
    ]),
    says: 'Where `type` is `"a"`: has `x`. Where `type` is `"b"` or `"c"`: needs nothing more and not `x`.',
    reason: "branches",
  },
])("says in words: $reason", ({ schema, says }) => {
  const [first] = referenceFields(toStructuralSchema(schema, "f"), "f", true);
  expect(first?.sentences.join(" ")).toStrictEqual(says);
});
