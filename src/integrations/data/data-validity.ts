import { isJsonList, isJsonObject, type JsonObject, type JsonValue, nearestName } from "#base";
import {
  type Bundle,
  type BundleFinding,
  type BundleValidation,
  createQueryable,
  type Datafile,
  integrationSchema,
  type UnreadableFile,
} from "#bundle";
import type { IntegrationFinding } from "./integration-finding.ts";
import type { ManagerData } from "./read-integrations.ts";

/** What validation found in the files of the data, as far as it concerns integrations. */
export interface DataValidity {
  /** Of integrations that are left out of the data, because a file of theirs is invalid. */
  readonly errors: readonly IntegrationFinding[];
  /** Warnings, by the path of the file. */
  readonly warnings: ReadonlyMap<string, readonly BundleFinding[]>;
  /** An error of a file that is, or may be, of this schema. */
  invalidFileOf(schema: string): BundleFinding | undefined;
}

/** The data without integrations whose files are invalid, and what is wrong with these. Data without files is not validated. */
export function withoutInvalid(data: ManagerData): ManagerData {
  const { bundle, validate } = data;
  if (data.validity || !bundle || !validate) return data;
  const validation = validate();
  const { invalid, validity } = judgeIntegrations(validation);
  if (invalid.size === 0) return { ...data, validity };
  const datafiles = new Map([...bundle.datafiles].filter(([path]) => !invalid.has(path)));
  return { ...data, ...createQueryable({ ...bundle, datafiles }), bundle, validity };
}

/** Decides which integrations are invalid: by their own file, or by one that says where they run. */
function judgeIntegrations(validation: BundleValidation): {
  /** Paths of the files of invalid integrations. */
  readonly invalid: ReadonlySet<string>;
  readonly validity: DataValidity;
} {
  const { bundle, facts } = validation;
  const warnings = Map.groupBy(validation.warnings, ({ path }) => path);
  const unreadable = new Map(
    bundle.unreadable?.filter(({ part }) => part === "data").map((file) => [file.path, file]) ?? [],
  );
  const errorsOf = groupErrors([...Array.from(unreadable.values(), unreadableFinding), ...validation.errors]);
  if (errorsOf.size === 0) {
    return { invalid: new Set(), validity: { errors: [], warnings, invalidFileOf: () => undefined } };
  }
  const expectations = expectationsOf(errorsOf, facts);
  const datafiles = new Map([
    ...bundle.datafiles,
    ...Array.from(unreadable, ([path, { sketch }]) => [path, named(sketch, bundle)] as const),
  ]);
  const mayBe = (path: string, schema: string): boolean => {
    const datafile = datafiles.get(path);
    return datafile !== undefined && mayHaveSchema(datafile, schema, expectations.get(path), bundle);
  };
  const invalid = new Set<string>();
  const errors: IntegrationFinding[] = [];
  for (const datafile of datafiles.values()) {
    const { path, schema } = datafile;
    const isIntegration = schema === integrationSchema || (errorsOf.has(path) && mayBe(path, integrationSchema));
    if (!isIntegration) continue;
    const found = [path, ...usedFiles(datafile, validation)].flatMap((used) => errorsOf.get(used) ?? []);
    if (found.length === 0) continue;
    invalid.add(path);
    errors.push(
      ...found.map((finding) => invalidFile(datafile, finding, bundle, unreadable.get(finding.path)?.error.where)),
    );
  }
  return {
    invalid,
    validity: {
      errors,
      warnings,
      invalidFileOf(schema) {
        for (const [path, [first]] of errorsOf) if (mayBe(path, schema)) return first;
        return undefined;
      },
    },
  };
}

function unreadableFinding({ path, error }: UnreadableFile): BundleFinding {
  const { what, next } = error;
  return {
    part: "data",
    path,
    kind: "FILE",
    reason: "UNREADABLE_FILE",
    what,
    at: [],
    ...(next !== undefined && { next }),
  };
}

/** A name that another integration has is not the name of this one: it is taken for unknown, which holds back more. */
function named(sketch: Datafile, { datafiles }: Bundle): Datafile {
  const { name, ...others } = sketch.content;
  const isTaken = [...datafiles.values()].some(
    ({ schema, content }) => schema === integrationSchema && content["name"] === name,
  );
  return isTaken ? { ...sketch, content: others } : sketch;
}

/** The errors of data files, by path. Those of schemas appear again at the files that have the schema. */
function groupErrors(findings: readonly BundleFinding[]): ReadonlyMap<string, readonly BundleFinding[]> {
  const byPath = new Map<string, BundleFinding[]>();
  for (const finding of findings) {
    if (finding.part !== "data") continue;
    for (const path of new Set([finding.path, ...(finding.alsoIn ?? [])])) {
      const others = byPath.get(path);
      if (others) others.push(finding);
      else byPath.set(path, [finding]);
    }
  }
  return byPath;
}

/** The references in a namespace that say where it is. */
const targetFields: ReadonlySet<unknown> = new Set(["cluster", "environment"]);

/** The files that an integration refers to, and those that its namespaces are in. */
function usedFiles(integration: Datafile, { bundle, facts }: BundleValidation): ReadonlySet<string> {
  const direct = facts.get(integration)?.references.map(({ target }) => target) ?? [];
  const used = new Set(direct);
  for (const path of direct) {
    const datafile = bundle.datafiles.get(path);
    for (const { at, target } of (datafile && facts.get(datafile)?.references) ?? []) {
      if (targetFields.has(at[0])) used.add(target);
    }
  }
  return used;
}

/** What the references to invalid files expect of them; nothing for a file that no other refers to. */
function expectationsOf(
  invalid: ReadonlyMap<string, unknown>,
  facts: BundleValidation["facts"],
): ReadonlyMap<string, readonly (JsonValue | undefined)[]> {
  const expectations = new Map<string, (JsonValue | undefined)[]>();
  for (const { references } of facts.values()) {
    for (const { target, expected } of references) {
      if (!invalid.has(target)) continue;
      const others = expectations.get(target);
      if (others) others.push(expected);
      else expectations.set(target, [expected]);
    }
  }
  return expectations;
}

/** Whether an invalid file is of a schema, or would be if its `$schema` were right. */
function mayHaveSchema(
  { schema: written, content }: Datafile,
  schema: string,
  expectations: readonly (JsonValue | undefined)[] | undefined,
  { schemas }: Bundle,
): boolean {
  if (written === schema) return true;
  if (schema === integrationSchema && hasTargets(content)) return true;
  if (written !== undefined && schemas.has(written)) return false;
  if (expectations) return expectations.some((expected) => expected === undefined || mentions(expected, schema));
  if (written === undefined) return true;
  return nearestName(written, [schema]) !== undefined || fileName(written) === fileName(schema);
}

/** The fields that only integrations have. */
const targetLists = ["managed", "operate"];

function hasTargets(content: JsonObject): boolean {
  return Object.keys(content).some((key) => nearestName(key, targetLists) !== undefined);
}

function mentions(expected: JsonValue, schema: string): boolean {
  if (typeof expected === "string") return expected === schema || `/${expected}` === schema;
  if (isJsonList(expected)) return expected.some((item) => mentions(item, schema));
  return isJsonObject(expected) && Object.values(expected).some((value) => mentions(value, schema));
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function invalidFile(
  { path, content, file = path }: Datafile,
  finding: BundleFinding,
  bundle: Bundle,
  unreadable: string | undefined,
): IntegrationFinding {
  const { name, upstream } = content;
  const integration = typeof name === "string" && name !== "" ? name : file;
  const isOwn = finding.path === path;
  return {
    integration,
    // Nothing can be looked up in a file that cannot be read; the error says where it is.
    ...(unreadable === undefined
      ? { file: finding.path, at: finding.at, where: bundle.datafiles.get(finding.path)?.file ?? finding.path }
      : { where: unreadable }),
    what: isOwn ? finding.what : `${finding.what} (in a file that ${integration} refers to)`,
    next: finding.next ?? "correct the file; until then nothing of this integration is changed",
    isFileInvalid: true,
    upstream: typeof upstream === "string" ? upstream : undefined,
  };
}
