import { formatImageReference, type ImageReference } from "../registry/image-reference.ts";
import type { Registries } from "../registry/open-registries.ts";
import { requireManifest } from "../registry/retag.ts";
import { isProvenance } from "./in-toto-statement.ts";
import { type EvidenceVerdict, judgeEvidence } from "./judge-evidence.ts";
import { readEvidence } from "./read-evidence.ts";
import type { VerificationKey } from "./verification-key.ts";

export const verificationParts = ["signature", "provenance"] as const;
/** `signature`: someone with a key signed the image; `provenance`: its builder said how it was built, and signed that. */
export type VerificationPart = (typeof verificationParts)[number];

export interface VerificationRules {
  /** Each of them is trusted. */
  readonly keys: readonly VerificationKey[];
  readonly requires: readonly VerificationPart[];
  /** Builders that a provenance may name; default any. */
  readonly builders?: readonly string[] | undefined;
}

/** A piece of evidence, and what it proves. */
export interface JudgedEvidence {
  readonly source: string;
  readonly verdict: EvidenceVerdict;
}

export interface ImageVerification {
  readonly digest: string;
  readonly evidence: readonly JudgedEvidence[];
  /** What is missing, as sentences; empty if the image is as required. */
  readonly missing: readonly string[];
}

/**
 * Checks the signatures and the provenance of an image with keys that the caller trusts. Only the digest itself is looked at:
 * of an image with several platforms, that is the index. No transparency log is asked, and no certificate is trusted.
 */
export async function verifyImage(
  registries: Registries,
  image: ImageReference,
  rules: VerificationRules,
  signal: AbortSignal,
): Promise<ImageVerification> {
  const client = registries.client(image, "pull");
  const manifest = await requireManifest(client, image, signal);
  const { digest } = manifest;
  const { evidence, unread } = await readEvidence(client, digest, signal);
  const judged = evidence.map((each) => ({
    source: each.source,
    verdict: judgeEvidence(each, { digest, manifest: manifest.bytes }, rules.keys),
  }));
  const rejected = judged.flatMap(({ source, verdict }) =>
    verdict.kind === "rejected" ? [{ source, reason: verdict.reason }] : [],
  );
  return { digest, evidence: judged, missing: missingParts(judged, rules, describeRejected(rejected, unread)) };
}

/** What an image lacks, one sentence a part. */
export function missingParts(
  evidence: readonly JudgedEvidence[],
  { requires, builders }: Pick<VerificationRules, "requires" | "builders">,
  rejected = "",
): string[] {
  const verdicts = evidence.map(({ verdict }) => verdict);
  const provenances = verdicts.filter((verdict) => verdict.kind === "attestation").filter(isProvenance);
  const isExpected = (builder: string | undefined) =>
    builders === undefined || (builder !== undefined && builders.includes(builder));
  return requires.flatMap((part) => {
    if (part === "signature") {
      return verdicts.some(({ kind }) => kind === "signature") ? [] : [`it has no valid signature${rejected}`];
    }
    if (provenances.some(({ builder }) => isExpected(builder))) return [];
    if (provenances.length === 0) return [`it has no valid provenance${rejected}`];
    const found = [...new Set(provenances.map(({ builder }) => builder ?? "no builder"))].join(", ");
    return [`its provenance names ${found}, expected ${(builders ?? []).join(" or ")}`];
  });
}

/** An InputError's text: which image, and what is missing. */
export function describeMissing(image: ImageReference, { digest, missing }: ImageVerification): string {
  const { registry, repository } = image;
  return `${formatImageReference({ registry, repository, digest })}: ${missing.join("; ")}`;
}

function describeRejected(
  rejected: readonly { readonly source: string; readonly reason: string }[],
  unread: readonly string[],
): string {
  const [first] = rejected;
  const more = rejected.length > 1 ? ` (and ${rejected.length - 1} more)` : "";
  const said = first ? [`${first.source}: ${first.reason}${more}`] : [];
  const all = [...said, ...unread];
  return all.length === 0 ? ": none is attached to it" : `: ${all.join("; ")}`;
}
