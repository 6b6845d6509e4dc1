/** A family of cases: the promises of one specification, numbered. */
export interface CaseFamily {
  readonly title: string;
  readonly ids: readonly string[];
}

/** Every case that Tenon has to answer for, tried or not. A test that names another id is refused. */
export const caseFamilies: readonly CaseFamily[] = [
  { title: "Manage: the data", ids: numbered("A-", 1, 31) },
  { title: "Manage: rendering", ids: numbered("B-", 1, 40) },
  { title: "Manage: sharding", ids: numbered("C-", 1, 19) },
  { title: "Manage: objects on clusters", ids: numbered("D-", 1, 53) },
  { title: "Manage: runs", ids: numbered("E-", 1, 24) },
  { title: "Manage: hashes", ids: numbered("G1-", 1, 17, 2) },
  { title: "Manage: parameters and images", ids: numbered("G3-", 1, 16, 2) },
  { title: "Manage: shards", ids: numbered("G4-", 1, 16, 2) },
  { title: "Manage: names", ids: numbered("G5-", 1, 6, 2) },
  { title: "Manage: comparison", ids: numbered("G6-", 1, 16, 2) },
  { title: "Manage: ownership and realisation", ids: numbered("G7-", 1, 19, 2) },
  { title: "Manage: whole runs", ids: numbered("G8-", 1, 15, 2) },
  { title: "Manage: bundle and server", ids: numbered("G9-", 1, 14, 2) },
  { title: "Couple: rulings on the seed", ids: numbered("X", 1, 24) },
  { title: "Couple: templates", ids: ["C.5", "D.1", "D.2"] },
  { title: "Couple: coupling and status", ids: numbered("H", 1, 7, 2) },
  { title: "Couple: interface", ids: numbered("H", 10, 17, 2) },
  { title: "Couple: sources and precedence", ids: numbered("H", 20, 27, 2) },
  { title: "Couple: vars", ids: numbered("H", 30, 36, 2) },
  { title: "Couple: resources", ids: numbered("H", 40, 57, 2) },
  { title: "Couple: lifecycle", ids: numbered("H", 60, 74, 2) },
  { title: "Couple: apparatus", ids: numbered("H", 80, 89, 2) },
  { title: "Couple: hostile tenants", ids: ["F-01", "F-02", ...numbered("F-", 8, 14, 2), "F-17"] },
  { title: "Couple: scale", ids: numbered("H", 95, 99, 2) },
];

function numbered(prefix: string, first: number, last: number, digits = 1): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => prefix + String(first + index).padStart(digits, "0"));
}
