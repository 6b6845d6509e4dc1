import { posix } from "node:path";
import { type FieldPath, InputError } from "#base";
import { fromBytes, FunctionError, type GoValue, isPrintable, isUnicodeSpace, newMap, parseVersion } from "#golang";
import { type ExactJsonValue, isYamlMap, locateInYaml, parseExactYamlDocuments, WholeFloat } from "#yaml";
import type { ChartDependency, ChartFile, ChartMetadata, Maintainer } from "./chart.ts";
import { type FieldFault, FieldReader } from "./field-reader.ts";

const nothing: ChartMetadata = {
  name: "",
  home: "",
  sources: undefined,
  version: "",
  description: "",
  keywords: undefined,
  maintainers: undefined,
  icon: "",
  apiVersion: "",
  condition: "",
  tags: "",
  appVersion: "",
  deprecated: false,
  annotations: undefined,
  kubeVersion: "",
  dependencies: undefined,
  type: "",
};

/** Reads Chart.yaml, or what the requirements.yaml of an old chart adds to it. */
export function readMetadata({ data, origin }: ChartFile, known: ChartMetadata = nothing): ChartMetadata {
  const text = fromBytes(data);
  const [document] = parseExactYamlDocuments(text, { file: origin, duplicateKeys: "last-wins", limit: 1 });
  const object = document?.value ?? {};
  if (!isYamlMap(object)) throw new InputError("must be a map of fields", { where: origin });
  const fault = (path: FieldPath, what: string) => faultAt(text, origin, path, what);
  return fieldsOf(new FieldReader(object, [], fault), known, fault);
}

function faultAt(text: string, origin: string, path: FieldPath, what: string): InputError {
  const place = locateInYaml(text, path);
  return new InputError(what, { where: place ? `${origin}:${place.line}:${place.column}` : origin });
}

function fieldsOf(reader: FieldReader, known: ChartMetadata, fault: FieldFault): ChartMetadata {
  const clean = (
    name: "name" | "home" | "description" | "icon" | "condition" | "tags" | "appVersion" | "kubeVersion",
  ) => cleanText(reader.text(name, known[name]));
  return {
    name: clean("name"),
    home: clean("home"),
    sources: reader.texts("sources")?.map(cleanText) ?? known.sources,
    version: reader.text("version", known.version),
    description: clean("description"),
    keywords: reader.texts("keywords")?.map(cleanText) ?? known.keywords,
    maintainers: present(reader.objects("maintainers"), "maintainers", fault)?.map(maintainerOf) ?? known.maintainers,
    icon: clean("icon"),
    apiVersion: reader.text("apiVersion", known.apiVersion),
    condition: clean("condition"),
    tags: clean("tags"),
    appVersion: clean("appVersion"),
    deprecated: reader.flag("deprecated", known.deprecated),
    annotations: reader.textMap("annotations") ?? known.annotations,
    kubeVersion: clean("kubeVersion"),
    dependencies:
      present(reader.objects("dependencies"), "dependencies", fault)?.map(dependencyOf) ?? known.dependencies,
    type: reader.text("type", known.type),
  };
}

function present(
  readers: readonly (FieldReader | undefined)[] | undefined,
  name: string,
  fault: FieldFault,
): readonly FieldReader[] | undefined {
  return readers?.map((reader, index) => {
    if (!reader) throw fault([name, index], `an entry of ${name} is empty`);
    return reader;
  });
}

function maintainerOf(reader: FieldReader): Maintainer {
  return {
    name: cleanText(reader.text("name")),
    email: cleanText(reader.text("email")),
    url: cleanText(reader.text("url")),
  };
}

function dependencyOf(reader: FieldReader): ChartDependency {
  return {
    name: cleanText(reader.text("name")),
    version: cleanText(reader.text("version")),
    repository: cleanText(reader.text("repository")),
    condition: cleanText(reader.text("condition")),
    tags: reader.texts("tags")?.map(cleanText),
    enabled: reader.flag("enabled"),
    importValues: reader.list("import-values")?.map(plainValue),
    alias: reader.text("alias"),
  };
}

/** Templates see all YAML numbers as floats. */
function plainValue(value: ExactJsonValue): GoValue {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof WholeFloat) return value.value;
  if (Array.isArray(value)) return value.map((item: ExactJsonValue) => plainValue(item));
  return newMap(Object.entries(value).map(([key, item]) => [key, plainValue(item)]));
}

/** Text of Chart.yaml as Helm keeps it: white space becomes spaces, and unprintable characters go. */
function cleanText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  let clean = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (isUnicodeSpace(code)) clean += " ";
    else if (isPrintable(code)) clean += character;
  }
  return clean;
}

/** Refuses metadata that Helm refuses. */
export function checkMetadata(
  { name, apiVersion, version, type, dependencies = [] }: ChartMetadata,
  where: string,
): void {
  if (apiVersion === "") throw new InputError("apiVersion is missing", { where, next: "write apiVersion: v2" });
  if (name === "") throw new InputError("name is missing", { where, next: "name the chart: name: my-chart" });
  if (name === "." || name === ".." || name !== posix.basename(name)) {
    throw new InputError(`${JSON.stringify(name)} is not a valid chart name`, {
      where,
      next: "use letters, digits and -",
    });
  }
  if (version === "") throw new InputError("version is missing", { where, next: "write version: 0.1.0" });
  if (!isVersion(version)) {
    throw new InputError(`${JSON.stringify(version)} is not a valid version`, { where, next: "write it like 1.2.3" });
  }
  if (type !== "" && type !== "application" && type !== "library") {
    throw new InputError(`${JSON.stringify(type)} is not a valid chart type`, {
      where,
      next: "write application or library",
    });
  }
  const names = new Set<string>();
  for (const dependency of dependencies) {
    const { alias } = dependency;
    if (alias !== "" && !/^[a-zA-Z0-9_-]+$/.test(alias)) {
      throw new InputError(
        `the alias ${JSON.stringify(alias)} of the dependency ${dependency.name} has a character that is not allowed`,
        {
          where,
          next: "use letters, digits, _ and -",
        },
      );
    }
    const key = alias || dependency.name;
    if (names.has(key)) {
      throw new InputError(`two dependencies share the name or alias ${JSON.stringify(key)}`, {
        where,
        next: "give one of them another alias",
      });
    }
    names.add(key);
  }
}

function isVersion(text: string): boolean {
  try {
    parseVersion(text);
    return true;
  } catch (error) {
    if (error instanceof FunctionError) return false;
    throw error;
  }
}
