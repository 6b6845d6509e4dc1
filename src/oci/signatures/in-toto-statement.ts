import { z } from "zod";
import { isRecord } from "#base";
import { readSignedJson } from "./signed-json.ts";

/** What an attestation says: https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md */
export interface InTotoStatement {
  readonly predicateType: string;
  /** The digests that it is about. */
  readonly subjects: readonly string[];
  /** Who built it, of a provenance. */
  readonly builder: string | undefined;
}

export const inTotoPayload = "application/vnd.in-toto+json";
const provenancePrefix = "https://slsa.dev/provenance/";
const mostSubjects = 10_000;

const Statement = z.looseObject({
  _type: z.string().refine((type) => type.startsWith("https://in-toto.io/Statement/"), "expected a statement"),
  predicateType: z.string().max(1024),
  subject: z.array(z.looseObject({ digest: z.record(z.string(), z.string()) })).max(mostSubjects),
  predicate: z.unknown().optional(),
});

export function parseStatement(bytes: Uint8Array): InTotoStatement {
  const { predicateType, subject, predicate } = readSignedJson(bytes, Statement, "the statement");
  return {
    predicateType,
    subjects: subject.flatMap(({ digest }) => Object.entries(digest).map(([algorithm, hex]) => `${algorithm}:${hex}`)),
    builder: builderOf(predicate),
  };
}

export function isProvenance({ predicateType }: Pick<InTotoStatement, "predicateType">): boolean {
  return predicateType.startsWith(provenancePrefix);
}

/** Of SLSA 1.0, else of those before it. */
function builderOf(predicate: unknown): string | undefined {
  const { runDetails, builder: older } = isRecord(predicate) ? predicate : {};
  const builder = isRecord(runDetails) ? runDetails["builder"] : older;
  const id = isRecord(builder) ? builder["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}
