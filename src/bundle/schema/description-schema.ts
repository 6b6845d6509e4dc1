import { descriptionSchema } from "../type-description.ts";
import { fields, flag, listOf, partSchema, text } from "./define-schema.ts";

const field = fields(
  {
    name: text("name of the field"),
    type: text("string, int, float, boolean, json, or the name of a type"),
    isList: flag("it is a list"),
    isRequired: flag("it is never null"),
    isInterface: flag("its type is an interface"),
    isUnique: flag("no two data files have the same value here"),
    isContextUnique: flag("no two items of a list have the same values in all such fields"),
    isSearchable: flag("data files can be asked for by it"),
    isResource: flag("it is the path of a resource"),
    resolveResource: flag("it stands for that resource"),
    synthetic: fields({ schema: text("who refers"), subAttr: text("at which field") }, ["schema", "subAttr"]),
    datafileSchema: text("it lists the data files of this schema"),
    shows: text("the field of the data that it shows, where that has another name"),
  },
  ["name", "type"],
);

const resolve = {
  ...fields(
    {
      strategy: { type: "string", enum: ["fieldMap", "schema"] },
      field: text("the field that tells them apart"),
      fieldMap: { type: "object", additionalProperties: { type: "string" } },
    },
    ["strategy"],
  ),
  description: "how the type of an object of this interface is found",
};

const type = fields(
  {
    name: text("name of the type"),
    fields: listOf(field, "its fields"),
    datafile: text("schema of the data files that are of this type"),
    isInterface: flag("it is an interface"),
    interface: text("the interface it implements"),
    interfaceResolve: resolve,
  },
  ["name", "fields"],
);

/** What a description of GraphQL types may say. */
export const descriptionSchemas = [
  partSchema(descriptionSchema, {
    description: "The types that data files are asked by.",
    properties: { confs: listOf(type, "the types") },
  }),
];
