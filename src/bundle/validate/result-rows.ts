import { isJsonObject } from "#base";
import type { BundleValidation } from "./bundle-validator.ts";
import type { FindingKind, FindingReason } from "./bundle-finding.ts";
import type { ReportedFinding } from "./report-findings.ts";

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
export function resultRows({ bundle, facts }: BundleValidation, errors: readonly ReportedFinding[]): ResultRow[] {
  return [...okRows({ bundle, facts }, errors), ...errors.map(errorRow)];
}

export function errorRow({ where, what, next, reason, kind, path, schema }: ReportedFinding): ResultRow {
  const error = `${where}: ${what}${next === undefined ? "" : `; ${next}`}`;
  const about = { ...(reason !== undefined && { reason }), error, ...(schema !== undefined && { schema_url: schema }) };
  const summary = `ERROR: ${path}${schema === undefined ? "" : ` (${schema})`}`;
  return { filename: path, kind, result: { status: "ERROR", summary, ...about } };
}

function okRows(
  { bundle, facts }: Pick<BundleValidation, "bundle" | "facts">,
  errors: readonly ReportedFinding[],
): ResultRow[] {
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
    if (wrong.has(`REF ${path}`)) continue;
    for (const { target } of references) add("REF", path, schema, target);
  }
  for (const { path, schema } of bundle.resources.values()) add("FILE", path, schema);
  return rows;
}
