import { InputError, isRecord } from "#base";

type Data = Readonly<Record<string, unknown>>;

/** What a Release, its plan and its admission give to the pipelines; undefined where there is none. */
export interface ReleaseData {
  readonly release: unknown;
  readonly plan: unknown;
  readonly admission: unknown;
}

/** Fields of `releaseNotes` that only an admission may set: they say for which product the release is. */
const admissionOnly = ["product_id", "product_name", "product_version", "product_stream", "cpe"] as const;

/** Merges objects deeply, and replaces lists: the plan wins over the Release, and the admission over both. */
export function mergeReleaseData({ release, plan, admission }: ReleaseData): Data {
  const given = [
    ["Release", release],
    ["ReleasePlan", plan],
  ] as const;
  for (const [kind, data] of given) refuseProduct(kind, data);
  return [release, plan, admission].reduce<Data>((merged, data) => mergeDeep(merged, isRecord(data) ? data : {}), {});
}

function refuseProduct(kind: string, data: unknown): void {
  const notes = isRecord(data) ? data["releaseNotes"] : undefined;
  const forbidden = admissionOnly.filter((field) => isRecord(notes) && notes[field] !== undefined);
  if (forbidden.length === 0) return;
  const fields = forbidden.map((field) => `releaseNotes.${field}`).join(", ");
  throw new InputError(`only a ReleasePlanAdmission may set ${fields}`, {
    where: `spec.data of the ${kind}`,
    next: "remove it there",
  });
}

function mergeDeep(one: Data, other: Data): Data {
  const merged = new Map(Object.entries(one));
  for (const [key, value] of Object.entries(other)) {
    const before = merged.get(key);
    merged.set(key, isRecord(before) && isRecord(value) ? mergeDeep(before, value) : value);
  }
  return Object.fromEntries(merged);
}
