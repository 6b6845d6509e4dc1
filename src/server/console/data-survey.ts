import { compareText, formatFieldPath } from "#base";
import {
  type BundleFinding,
  type BundleReading,
  type BundleSource,
  type BundleValidation,
  BundleValidator,
  type Datafile,
  type ReportedFinding,
  reportFindings,
} from "#bundle";
import { locateInYaml } from "#yaml";
import type { DataAnswer, DataFileAnswer, DataFileRow, DataQuery } from "./data-api.ts";

type DatafileFacts = BundleValidation["facts"] extends ReadonlyMap<Datafile, infer Facts> ? Facts : never;
type Part = DataFileRow["part"];
type DataLink = DataFileAnswer["links"][number];

const largestText = 256 * 1_024;
/** Finding the line of a field reads the file again. */
const mostLocated = 100;

interface Reference {
  readonly from: string;
  readonly part: Part;
  readonly path: string;
  readonly at: readonly (string | number)[];
}

/** The data at one moment, with all that is known of each file. */
export interface SurveyedData {
  readonly reading: BundleReading;
  readonly validation: BundleValidation;
  readonly rows: readonly DataFileRow[];
  readonly links: ReadonlyMap<string, readonly Reference[]>;
  readonly backLinks: ReadonlyMap<string, readonly Reference[]>;
}

/** Reads the data again for each question; only what changed is parsed and checked again. */
export class DataSurvey {
  readonly #source: BundleSource;
  readonly #validator = new BundleValidator();
  #last: SurveyedData | undefined;
  #reading: Promise<SurveyedData> | undefined;

  constructor(source: BundleSource) {
    this.#source = source;
  }

  /** Questions that come at once share one reading, which `signal` ends: that of the console, not of a request. */
  async read(signal: AbortSignal): Promise<SurveyedData> {
    this.#reading ??= this.#read(signal).finally(() => {
      this.#reading = undefined;
    });
    return await this.#reading;
  }

  async #read(signal: AbortSignal): Promise<SurveyedData> {
    const reading = await this.#source.read(signal);
    const last = this.#last;
    if (last && last.reading.bundle.identity === reading.bundle.identity && reading.problems.length === 0) return last;
    this.#last = surveyBundle(reading, this.#validator.validate(reading.bundle));
    return this.#last;
  }
}

const keyOfFile = (part: string, path: string): string => `${part} ${path}`;

function surveyBundle(reading: BundleReading, validation: BundleValidation): SurveyedData {
  const { bundle } = reading;
  const references = [...validation.facts].flatMap(referencesOf);
  const links = Map.groupBy(references, ({ from }) => keyOfFile("data", from));
  const backLinks = Map.groupBy(references, ({ part, path }) => keyOfFile(part, path));
  const [errors, warnings] = [byFile(validation.errors), byFile(validation.warnings)];
  const unreadable = bundle.unreadable ?? [];
  const broken = new Set(unreadable.map(({ part, path }) => keyOfFile(part, path)));
  const rowOf = (part: Part, path: string, schema: string | undefined, name: unknown): DataFileRow => {
    const key = keyOfFile(part, path);
    return {
      part,
      path,
      ...(schema === undefined ? {} : { schema }),
      ...(typeof name === "string" ? { name } : {}),
      errors: (errors.get(key)?.length ?? 0) + (broken.has(key) ? 1 : 0),
      warnings: warnings.get(key)?.length ?? 0,
      references: new Set(links.get(key)?.map((each) => keyOfFile(each.part, each.path))).size,
      referrers: new Set(backLinks.get(key)?.map(({ from }) => from)).size,
    };
  };
  const rows = [
    ...[...bundle.datafiles.values()].map(({ path, schema, content }) => rowOf("data", path, schema, content["name"])),
    ...[...bundle.resources.values()].map(({ path, schema }) => rowOf("resources", path, schema, undefined)),
    ...unreadable.map(({ part, path, sketch }) => rowOf(part, path, sketch.schema, sketch.content["name"])),
  ];
  return { reading, validation, rows: rows.toSorted(compareRows), links, backLinks };
}

function referencesOf([{ path: from }, facts]: readonly [Datafile, DatafileFacts]): Reference[] {
  return [
    ...facts.references.map(({ target, at }): Reference => ({ from, part: "data", path: target, at })),
    ...facts.resources.map(({ target, at }): Reference => ({ from, part: "resources", path: target, at })),
  ];
}

/** The field that has the reference, without the `$ref` that every reference is. */
function fieldOf(at: Reference["at"]): string {
  return formatFieldPath(at.at(-1) === "$ref" ? at.slice(0, -1) : at);
}

function byFile(findings: readonly BundleFinding[]): Map<string, BundleFinding[]> {
  return Map.groupBy(findings, ({ part, path }) => keyOfFile(part, path));
}

function rankOf({ errors, warnings }: DataFileRow): number {
  return errors > 0 ? 0 : warnings > 0 ? 1 : 2;
}

/** What has errors comes first, then what has warnings. */
function compareRows(one: DataFileRow, other: DataFileRow): number {
  return rankOf(one) - rankOf(other) || compareText(one.part, other.part) || compareText(one.path, other.path);
}

export function queryFiles(
  { rows }: Pick<SurveyedData, "rows">,
  query: DataQuery,
): Omit<DataAnswer, "location" | "commit"> {
  const search = query.search?.toLowerCase();
  const schemas: Record<string, number> = {};
  for (const { schema } of rows) if (schema !== undefined) schemas[schema] = (schemas[schema] ?? 0) + 1;
  const matching = rows.filter(
    ({ part, path, schema = "", name = "", errors, warnings }) =>
      (query.schema === undefined || schema === query.schema) &&
      (query.only === undefined || errors + warnings > 0) &&
      (search === undefined || `${part}${path}\n${schema}\n${name}`.toLowerCase().includes(search)),
  );
  return {
    rows: matching.slice(query.offset, query.offset + query.limit),
    total: matching.length,
    files: rows.length,
    errors: rows.reduce((sum, { errors }) => sum + errors, 0),
    warnings: rows.reduce((sum, { warnings }) => sum + warnings, 0),
    schemas,
  };
}

/** One file with its links; undefined if it does not exist. */
export async function describeFile(
  survey: SurveyedData,
  part: Part,
  path: string,
  signal: AbortSignal,
): Promise<DataFileAnswer | undefined> {
  const { reading, rows, links, backLinks } = survey;
  const row = rows.find((each) => each.part === part && each.path === path);
  if (!row) return undefined;
  const key = keyOfFile(part, path);
  const original = reading.find(part, path);
  const text = (await original?.text(signal).catch(() => undefined)) ?? contentOf(survey, part, path);
  const exists = new Set(rows.map((each) => keyOfFile(each.part, each.path)));
  return {
    ...row,
    file: original?.file ?? `${part}${path}`,
    text: text.slice(0, largestText),
    isCut: text.length > largestText,
    problems: await problemsOf(survey, part, path, signal),
    links: (links.get(key) ?? []).map((link, index) =>
      linkOf(link, exists, original && index < mostLocated ? locateInYaml(text, link.at, "pyyaml")?.line : undefined),
    ),
    backLinks: (backLinks.get(key) ?? [])
      .map(({ from, at }): DataLink => ({ part: "data", path: from, at: fieldOf(at), exists: true }))
      .toSorted((one, other) => compareText(one.path, other.path)),
  };
}

function linkOf({ part, path, at }: Reference, exists: ReadonlySet<string>, line: number | undefined): DataLink {
  return {
    part,
    path,
    at: fieldOf(at),
    ...(line === undefined ? {} : { line }),
    exists: exists.has(keyOfFile(part, path)),
  };
}

/** Of a file in a bundle file, which has no original. */
function contentOf({ reading: { bundle } }: SurveyedData, part: Part, path: string): string {
  if (part === "resources") return bundle.resources.get(path)?.content ?? "";
  const { written, content } = bundle.datafiles.get(path) ?? {};
  return JSON.stringify(written ?? content ?? {}, undefined, 2);
}

async function problemsOf(
  { reading, validation }: SurveyedData,
  part: Part,
  path: string,
  signal: AbortSignal,
): Promise<DataFileAnswer["problems"]> {
  const isHere = (finding: BundleFinding): boolean => finding.part === part && finding.path === path;
  const own = new Set(
    reading.bundle.unreadable?.filter((each) => each.part === part && each.path === path).map(({ error }) => error),
  );
  const report = await reportFindings(
    {
      ...reading,
      find: (...file) => reading.find(...file),
      problems: reading.problems.filter((error) => own.has(error)),
    },
    { errors: validation.errors.filter(isHere), warnings: validation.warnings.filter(isHere) },
    signal,
  );
  return [
    ...report.errors.map((finding) => showFinding("error", finding)),
    ...report.warnings.map((finding) => showFinding("warning", finding)),
  ];
}

function showFinding(
  severity: "error" | "warning",
  { where, what, next, reason }: ReportedFinding,
): DataFileAnswer["problems"][number] {
  const line = /:(\d+)(?::\d+)?$/.exec(where)?.[1];
  return {
    severity,
    where,
    ...(line === undefined ? {} : { line: Number(line) }),
    what,
    ...(next === undefined ? {} : { next }),
    ...(reason === undefined ? {} : { reason }),
  };
}
