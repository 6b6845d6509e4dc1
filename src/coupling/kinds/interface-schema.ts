import { z } from "zod";
import { sized, validations } from "#crd";

const Property = validations(
  z.object({
    default: z.string().exactOptional().describe("The value where no source has one."),
    description: z.string().exactOptional().describe("What it is for."),
    required: z.boolean().exactOptional().describe("Some source must have a value; a default is none."),
    sensitive: z.boolean().exactOptional().describe("Shown nowhere, wherever it comes from."),
    type: z
      .enum(["string", "integer", "boolean", "url", "enum", "json"])
      .exactOptional()
      .describe("What the text must be."),
    pattern: z
      .string()
      .max(1_024)
      .exactOptional()
      .describe("A regular expression of RE2 that all of the text matches."),
    enum: z.array(z.string()).min(1).max(1_000).exactOptional().describe("The texts that it may be."),
    minLength: z.int32().min(0).exactOptional().describe("The least number of characters."),
  }),
  [
    {
      rule: "!has(self.type) || self.type != 'enum' || has(self.enum)",
      message: "a property of type enum has enum, the values",
      fieldPath: ".enum",
      check: (property) => property.type !== "enum" || property.enum !== undefined,
    },
  ],
);
export type InterfaceProperty = z.infer<typeof Property>;

/** `key:` with nothing behind it reads as null, and declares the key all the same. */
const Half = sized(z.record(z.string(), Property.nullable()), { max: 1_000 });
export type InterfaceHalf = z.infer<typeof Half>;

const Halves = z.object({
  plug: Half.exactOptional().describe("The plug's keys; what is not among them is dropped. Absent: anything goes."),
  socket: Half.exactOptional().describe("The socket's keys; what is not among them is dropped. Absent: anything goes."),
});

export const Interface = z.object({
  name: z
    .string()
    .max(253)
    .exactOptional()
    .describe("What it is, such as `postgres`; a plug that names another interface is refused."),
  config: Halves.exactOptional().describe("What the configs must have."),
  result: Halves.exactOptional().describe("What the results must have."),
});
export type Interface = z.infer<typeof Interface>;
