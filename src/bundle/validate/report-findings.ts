import { type FieldPath, type InputError, isJsonList, isJsonObject, type JsonValue } from "#base";
import { locateInYaml, parseYaml } from "#yaml";
import type { BundleReading, FilePart } from "../bundle.ts";
import type { BundleValidation } from "./bundle-validator.ts";
import type { BundleFinding, FindingKind, FindingReason } from "./bundle-finding.ts";

/** Each place is looked for in the whole file again: the first ones of a file are enough, and the first ones of all. */
const mostPlacesInFile = 20;
const mostPlaces = 2_000;

/** A finding as people want to read it. */
export interface ReportedFinding {
  /** `file:line:column`, as far as it is known. */
  readonly where: string;
  readonly what: string;
  readonly next?: string;
  /** Absent from a warning. */
  readonly reason?: FindingReason;
  readonly kind: FindingKind;
  /** The path within the bundle, or the file itself if it did not get there. */
  readonly path: string;
  readonly schema?: string;
}

export interface ValidationReport {
  readonly errors: readonly ReportedFinding[];
  readonly warnings: readonly ReportedFinding[];
}

/** All that is wrong with what was read, with the places in the files, in the order of these. */
export async function reportFindings(
  reading: BundleReading,
  { errors, warnings }: Pick<BundleValidation, "errors" | "warnings">,
  signal: AbortSignal,
): Promise<ValidationReport> {
  const unreadable = reading.problems.map(reportProblem);
  return {
    errors: [...unreadable, ...(await locateAll(errors, reading, signal))],
    warnings: await locateAll(warnings, reading, signal),
  };
}

function reportProblem({ what, where = "", next }: InputError): ReportedFinding {
  const path = where.replace(/(:\d+){1,2}$/, "");
  return { where, what, ...(next !== undefined && { next }), reason: "UNREADABLE_FILE", kind: "FILE", path };
}

async function locateAll(
  findings: readonly BundleFinding[],
  reading: BundleReading,
  signal: AbortSignal,
): Promise<ReportedFinding[]> {
  const byFile = Map.groupBy(findings, ({ part, path }) => `${part} ${path}`);
  const reported: ReportedFinding[] = [];
  let left = mostPlaces;
  for (const group of byFile.values()) {
    const [first] = group;
    const original = first && reading.find(first.part, first.path);
    const text = left <= 0 ? undefined : await original?.text(signal).catch(() => undefined);
    left -= group.length;
    const placed = group.map(({ part, at, ...finding }, index) => {
      const file = original?.file ?? nameOf(part, finding.path);
      const isEnough = text === undefined || index >= mostPlacesInFile;
      const place = isEnough ? undefined : locateInYaml(text, part === "description" ? placeOfType(text, at) : at);
      return { place, located: { ...finding, where: place ? `${file}:${place.line}:${place.column}` : file } };
    });
    const inOrder = placed.toSorted((one, other) => (one.place?.line ?? Infinity) - (other.place?.line ?? Infinity));
    reported.push(...inOrder.map(({ located }) => located));
  }
  return reported.toSorted((one, other) => compare(fileOf(one), fileOf(other)));
}

/** Types are known by their names, and stand in a list. */
function placeOfType(text: string, [type, field]: FieldPath): FieldPath {
  const value = parseYaml(text);
  const confs = isJsonObject(value) ? value["confs"] : value;
  const place = indexOfName(confs, type);
  const conf = isJsonList(confs) ? confs[place] : undefined;
  const index = indexOfName(isJsonObject(conf) ? conf["fields"] : undefined, field);
  return [...(isJsonObject(value) ? ["confs"] : []), place, "fields", index];
}

function indexOfName(list: JsonValue | undefined, name: string | number | undefined): number {
  return isJsonList(list) ? list.findIndex((item) => isJsonObject(item) && item["name"] === name) : -1;
}

/** For what is built in, or came in a bundle file. */
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
