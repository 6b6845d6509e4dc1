import { descriptionSchema } from "../type-description.ts";
import { fieldsSchema, flagSchema, listSchema, partSchema, textSchema } from "./define-schema.ts";

const field = fieldsSchema(
  {
    name: textSchema("name of the field"),
    type: textSchema("string, int, float, boolean, json, or the name of a type"),
    isList: flagSchema("it is a list"),
    isRequired: flagSchema("it is never null"),
    isInterface: flagSchema("its type is an interface"),
    isUnique: flagSchema("no two data files have the same value here"),
    isContextUnique: flagSchema("no two items of a list have the same values in all such fields"),
    isSearchable: flagSchema("data files can be asked for by it"),
    isResource: flagSchema("it is the path of a resource"),
    resolveResource: flagSchema("it stands for that resource"),
    synthetic: fieldsSchema({ schema: textSchema("who refers"), subAttr: textSchema("at which field") }, [
      "schema",
      "subAttr",
    ]),
    datafileSchema: textSchema("it lists the data files of this schema"),
    shows: textSchema("the field of the data that it shows, where that has another name"),
  },
  ["name", "type"],
);

const resolve = {
  ...fieldsSchema(
    {
      strategy: { type: "string", enum: ["fieldMap", "schema"] },
      field: textSchema("the field that tells them apart"),
      fieldMap: { type: "object", additionalProperties: { type: "string" } },
    },
    ["strategy"],
  ),
  description: "how the type of an object of this interface is found",
};

const type = fieldsSchema(
  {
    name: textSchema("name of the type"),
    fields: listSchema(field, "its fields"),
    datafile: textSchema("schema of the data files that are of this type"),
    isInterface: flagSchema("it is an interface"),
    interface: textSchema("the interface it implements"),
    interfaceResolve: resolve,
  },
  ["name", "fields"],
);

/** What a description of GraphQL types may say. */
export const descriptionSchemas = [
  partSchema(descriptionSchema, {
    description: "The types that data files are asked by.",
    properties: { confs: listSchema(type, "the types") },
  }),
];
