import { GoMap, type GoValue, isTrue, Slice, Struct, TypedNil } from "#golang";
import type { Maintainer } from "../chart/chart.ts";
import type { WorkingChart, WorkingDependency, WorkingMetadata } from "../chart/working-chart.ts";

/** A field of one of Helm's structs. In JSON it has another name, and is left out if it is empty and not `isKept`. */
interface Field {
  readonly name: string;
  readonly json: string;
  readonly value: GoValue;
  readonly isKept?: boolean;
}

/** `.Chart`: the content of Chart.yaml, and whether this is the root chart. */
export function chartObject({ metadata, parent }: WorkingChart): Struct {
  const fields = metadataFields(metadata);
  const isRoot = { name: "IsRoot", json: "IsRoot", value: parent === undefined, isKept: true };
  return new Struct("struct { chart.Metadata; IsRoot bool }", {
    fields: { Metadata: structOf("chart.Metadata", fields), IsRoot: isRoot.value },
    promoted: valuesOf(fields),
    json: () => jsonOf([...fields, isRoot]),
  });
}

function metadataFields(metadata: WorkingMetadata): Field[] {
  return [
    { name: "Name", json: "name", value: metadata.name },
    { name: "Home", json: "home", value: metadata.home },
    { name: "Sources", json: "sources", value: strings(metadata.sources) },
    { name: "Version", json: "version", value: metadata.version },
    { name: "Description", json: "description", value: metadata.description },
    { name: "Keywords", json: "keywords", value: strings(metadata.keywords) },
    {
      name: "Maintainers",
      json: "maintainers",
      value: structs("*chart.Maintainer", metadata.maintainers, maintainerFields),
    },
    { name: "Icon", json: "icon", value: metadata.icon },
    { name: "APIVersion", json: "apiVersion", value: metadata.apiVersion },
    { name: "Condition", json: "condition", value: metadata.condition },
    { name: "Tags", json: "tags", value: metadata.tags },
    { name: "AppVersion", json: "appVersion", value: metadata.appVersion },
    { name: "Deprecated", json: "deprecated", value: metadata.deprecated },
    { name: "Annotations", json: "annotations", value: stringMap(metadata.annotations) },
    { name: "KubeVersion", json: "kubeVersion", value: metadata.kubeVersion },
    {
      name: "Dependencies",
      json: "dependencies",
      value: structs("*chart.Dependency", metadata.dependencies, dependencyFields),
    },
    { name: "Type", json: "type", value: metadata.type },
  ];
}

function maintainerFields({ name, email, url }: Maintainer): Field[] {
  return [
    { name: "Name", json: "name", value: name },
    { name: "Email", json: "email", value: email },
    { name: "URL", json: "url", value: url },
  ];
}

function dependencyFields(dependency: WorkingDependency): Field[] {
  return [
    { name: "Name", json: "name", value: dependency.name, isKept: true },
    { name: "Version", json: "version", value: dependency.version },
    { name: "Repository", json: "repository", value: dependency.repository, isKept: true },
    { name: "Condition", json: "condition", value: dependency.condition },
    { name: "Tags", json: "tags", value: strings(dependency.tags) },
    { name: "Enabled", json: "enabled", value: dependency.enabled },
    { name: "ImportValues", json: "import-values", value: dependency.importValues ?? new TypedNil("[]interface {}") },
    { name: "Alias", json: "alias", value: dependency.alias },
  ];
}

function structOf(type: string, fields: readonly Field[]): Struct {
  return new Struct(type, { fields: valuesOf(fields), json: () => jsonOf(fields) });
}

function structs<Item>(
  type: string,
  items: readonly Item[] | undefined,
  fieldsOf: (item: Item) => readonly Field[],
): GoValue {
  return items
    ? new Slice(
        type,
        items.map((item) => structOf(type, fieldsOf(item))),
      )
    : new TypedNil(`[]${type}`);
}

function strings(items: readonly string[] | undefined): GoValue {
  return items ? new Slice("string", items) : new TypedNil("[]string");
}

function stringMap(entries: ReadonlyMap<string, string> | undefined): GoValue {
  return entries ? new GoMap("string", "string", entries) : new TypedNil("map[string]string");
}

function valuesOf(fields: readonly Field[]): Record<string, GoValue> {
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

/** A struct again, because JSON keeps the order of its fields. */
function jsonOf(fields: readonly Field[]): Struct {
  const kept = fields.filter(({ value, isKept }) => isKept || isTrue(value));
  return new Struct("", { fields: Object.fromEntries(kept.map(({ json, value }) => [json, value])) });
}
