import { writeYaml } from "#yaml";
import { type CustomResourceDefinitionVersion, toCustomResourceDefinition } from "./custom-resource-definition.ts";
import type { Kind } from "./define-kind.ts";
import { referenceFields, ruleSentence } from "./reference-fields.ts";
import { markdownCode } from "./words.ts";

/** The reference page of a kind, in Markdown, from the same definition as its CustomResourceDefinition. */
export function toReference(kind: Kind): string {
  const { definition } = kind;
  const { scope, description, shortNames = [], categories = [], examples = [] } = definition;
  const { spec } = toCustomResourceDefinition(kind);
  const facts = [
    ["API group", markdownCode(definition.group)],
    ["Versions", spec.versions.map(describeVersion).join(", ")],
    ["Scope", scope === "Namespaced" ? "in a namespace" : "the whole cluster"],
    ["Plural", markdownCode(kind.plural)],
    ["Short names", shortNames.map(markdownCode).join(", ")],
    ["Categories", categories.map(markdownCode).join(", ")],
  ];
  const rows = facts.filter(([, value]) => value !== "").map(([name, value]) => `| ${name} | ${value} |`);
  return [
    `# ${kind.kind}`,
    description,
    ["| | |", "| --- | --- |", ...rows].join("\n"),
    ...examples.flatMap(({ title, object }) => [
      `## ${title}`,
      `\`\`\`yaml\n${writeYaml(JSON.parse(JSON.stringify(object)))}\`\`\``,
    ]),
    ...spec.versions.flatMap(describeFields),
  ]
    .join("\n\n")
    .concat("\n");
}

function describeVersion({ name, served, storage, deprecated }: CustomResourceDefinitionVersion): string {
  const remarks = [
    ...(storage ? ["stored"] : []),
    ...(served ? [] : ["not served"]),
    ...(deprecated ? ["deprecated"] : []),
  ];
  return remarks.length > 0 ? `${markdownCode(name)} (${remarks.join(", ")})` : markdownCode(name);
}

function describeFields({
  name,
  schema,
  deprecationWarning,
  additionalPrinterColumns = [],
}: CustomResourceDefinitionVersion) {
  const { properties = {}, required = [], "x-kubernetes-validations": rules = [] } = schema.openAPIV3Schema;
  const fields = Object.entries(properties).flatMap(([field, inner]) =>
    referenceFields(inner, field, required.includes(field)),
  );
  const rows = fields.map(
    ({ path, type, isRequired, sentences }) =>
      `| ${markdownCode(path)} | ${cell(type)} | ${isRequired ? "yes" : ""} | ${cell(sentences.join(" "))} |`,
  );
  const columns = additionalPrinterColumns.map(
    (column) => `| ${cell(column.name)} | ${markdownCode(column.jsonPath)} | ${cell(column.description ?? "")} |`,
  );
  return [
    `## Fields of ${name}`,
    ...(deprecationWarning === undefined ? [] : [`Deprecated: ${deprecationWarning}`]),
    ["| Field | Type | Required | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n"),
    ...(rules.length > 0 ? [rules.map((rule) => `- ${ruleSentence(rule)}`).join("\n")] : []),
    ...(columns.length > 0
      ? [`### Columns of kubectl get`, ["| Column | From | Meaning |", "| --- | --- | --- |", ...columns].join("\n")]
      : []),
  ];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
