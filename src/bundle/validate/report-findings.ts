import { type FieldPath, formatFieldPath, type InputError, isJsonList, isJsonObject, type JsonValue } from "#base";
import { locateInYaml, parseYaml } from "#yaml";
import type { BundleReading, FilePart } from "../bundle.ts";
import { descriptionFile } from "../source/file-role.ts";
import { schemaPath } from "../source/parse-file.ts";
import type { BundleFinding, FindingKind, FindingReason } from "./bundle-finding.ts";
import type { BundleValidation } from "./bundle-validator.ts";
import { hasCheckedContent } from "./check-file.ts";

/** Locating a finding reads the whole file again, so only the first ones of each file and of all files are located. */
const mostLocatedInFile = 20;
const mostLocated = 2_000;

/** A finding with its position in the file. */
export interface ReportedFinding {
  /** `file:line:column`, as far as known. */
  readonly where: string;
  readonly what: string;
  readonly next?: string;
  /** Absent from a warning. */
  readonly reason?: FindingReason;
  readonly kind: FindingKind;
  /** The path within the bundle, or the name of a file that could not be read. */
  readonly path: string;
  readonly schema?: string;
}

export interface ValidationReport {
  readonly errors: readonly ReportedFinding[];
  readonly warnings: readonly ReportedFinding[];
}

/** All findings and unreadable files, with their positions, in the order of the files. */
export async function reportFindings(
  reading: BundleReading,
  { errors, warnings }: Pick<BundleValidation, "errors" | "warnings">,
  signal: AbortSignal,
): Promise<ValidationReport> {
  // What the schema of the description says of it has a line.
  const isExplained = errors.some(({ part, kind }) => part === "description" && kind === "FILE");
  const { error: unusable } = reading.bundle.description ?? {};
  const unreadable = reading.problems
    .filter((problem) => !(isExplained && problem === unusable))
    .map((problem) => reportProblem(problem, problem === unusable ? descriptionFile : undefined));
  return {
    errors: [...unreadable, ...(await locateAll(errors, reading, signal))],
    warnings: await locateAll(warnings, reading, signal),
  };
}

function reportProblem({ what, where = "", next }: InputError, file: string | undefined): ReportedFinding {
  const path = file ?? where.replace(/(:\d+){1,2}$/, "");
  return { where, what, ...(next !== undefined && { next }), reason: "UNREADABLE_FILE", kind: "FILE", path };
}

async function locateAll(
  findings: readonly BundleFinding[],
  reading: BundleReading,
  signal: AbortSignal,
): Promise<ReportedFinding[]> {
  const byFile = Map.groupBy(findings, ({ part, path }) => `${part} ${path}`);
  const reported: ReportedFinding[] = [];
  let left = mostLocated;
  for (const group of byFile.values()) {
    const [first] = group;
    const original = first && reading.find(first.part, first.path);
    const text = left <= 0 ? undefined : await original?.text(signal).catch(() => undefined);
    left -= group.length;
    const placed = group.map(({ part, at, ...finding }, index) => {
      const file = original?.file ?? nameOf(part, finding.path);
      const isEnough = text === undefined || index >= mostLocatedInFile;
      const position = isEnough ? undefined : locate(text, isAboutType(part, finding.kind) ? pathOfType(text, at) : at);
      return {
        position,
        located: {
          ...finding,
          path: part === "description" ? descriptionFile : finding.path,
          where: position ? `${file}:${position.line}:${position.column}` : file,
        },
      };
    });
    const inOrder = placed.toSorted(
      (one, other) => (one.position?.line ?? Infinity) - (other.position?.line ?? Infinity),
    );
    reported.push(...inOrder.map(({ located }) => located));
  }
  return reported.toSorted((one, other) => compare(fileOf(one), fileOf(other)));
}

/** Other findings are about a value in a file. */
function isAboutType(part: FilePart, kind: FindingKind): boolean {
  return part === "description" && kind === "SCHEMA";
}

function locate(text: string, at: FieldPath): ReturnType<typeof locateInYaml> {
  return locateInYaml(text, at, "pyyaml");
}

/** The path of a type and its field, which the description has in lists. */
function pathOfType(text: string, [type, field]: FieldPath): FieldPath {
  const value = parseYaml(text, { library: "pyyaml" });
  const confs = isJsonObject(value) ? value["confs"] : value;
  const typeIndex = indexOfName(confs, type);
  const conf = isJsonList(confs) ? confs[typeIndex] : undefined;
  const fieldIndex = indexOfName(isJsonObject(conf) ? conf["fields"] : undefined, field);
  return [...(isJsonObject(value) ? ["confs"] : []), typeIndex, "fields", fieldIndex];
}

function indexOfName(list: JsonValue | undefined, name: string | number | undefined): number {
  return isJsonList(list) ? list.findIndex((item) => isJsonObject(item) && item["name"] === name) : -1;
}

/** The name of a built-in file, or of one in a bundle file. */
function nameOf(part: FilePart, path: string): string {
  return part === "description" ? path.slice(1) : `${part}${path}`;
}

function fileOf({ where }: ReportedFinding): string {
  return where.replace(/(:\d+){1,2}$/, "");
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** A row in the output format of qontract-validator. */
export interface ResultRow {
  readonly filename: string;
  readonly kind: FindingKind;
  readonly result: {
    readonly status: "OK" | "ERROR";
    readonly summary: string;
    readonly reason?: FindingReason;
    readonly error?: string;
    readonly schema_url?: string;
  };
}

/** One row for each valid schema, file and reference, and one for each error. */
export function resultRows(validation: BundleValidation, errors: readonly ReportedFinding[]): ResultRow[] {
  return [...okRows(validation, errors), ...errors.map(errorRow)];
}

export function errorRow({ where, what, next, reason, kind, path, schema }: ReportedFinding): ResultRow {
  const error = `${where}: ${what}${next === undefined ? "" : `; ${next}`}`;
  const about = { ...(reason !== undefined && { reason }), error, ...(schema !== undefined && { schema_url: schema }) };
  const summary = `ERROR: ${path}${schema === undefined ? "" : ` (${schema})`}`;
  return { filename: path, kind, result: { status: "ERROR", summary, ...about } };
}

function okRows(
  { bundle, facts, errors: findings }: BundleValidation,
  errors: readonly ReportedFinding[],
): ResultRow[] {
  const broken = new Set(
    findings.filter(({ kind }) => kind === "REF").map(({ path, at }) => `${path} ${formatFieldPath(at)}`),
  );
  const wrong = new Set(errors.map(({ kind, path }) => `${kind} ${path}`));
  const rows: ResultRow[] = [];
  function add(kind: FindingKind, filename: string, schema: string | undefined, reference?: string): void {
    if (kind !== "REF" && wrong.has(`${kind} ${filename}`)) return;
    const notes = [reference, schema].filter((note) => note !== undefined).map((note) => ` (${note})`);
    const about = schema === undefined ? {} : { schema_url: schema };
    rows.push({ filename, kind, result: { status: "OK", summary: `OK: ${filename}${notes.join("")}`, ...about } });
  }
  for (const [path, schema] of bundle.schemas) {
    const meta = isJsonObject(schema) ? schema["$schema"] : undefined;
    add("SCHEMA", path, typeof meta === "string" ? meta : undefined);
  }
  for (const { path, schema } of bundle.datafiles.values()) add("FILE", path, schema);
  for (const [{ path, schema }, { references }] of facts) {
    for (const { target, at } of references) {
      const isGood = bundle.datafiles.has(target) && !broken.has(`${path} ${formatFieldPath(at)}`);
      if (isGood) add("REF", path, schema, target);
    }
  }
  for (const resource of bundle.resources.values()) {
    add("FILE", resource.path, hasCheckedContent(resource) ? resource.schema : undefined);
  }
  const { value } = bundle.description ?? { value: null };
  if (isJsonObject(value)) add("FILE", descriptionFile, schemaPath(value["$schema"]));
  return rows;
}
