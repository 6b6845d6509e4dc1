import { generateKeyPairSync } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { parseDsseEnvelope } from "./dsse-envelope.ts";
import { parseStatement } from "./in-toto-statement.ts";
import { judgeEvidence, type SignatureEvidence } from "./judge-evidence.ts";
import {
  messageSignature,
  sampleSigner,
  signedStatement,
  sigstoreBundle,
  simpleSigning,
} from "./sample-signatures.fixture.ts";
import { parseSigstoreBundle } from "./sigstore-bundle.ts";
import { parseSimpleSigning } from "./simple-signing.ts";
import { parseVerificationKeys } from "./verification-key.ts";
import { missingParts } from "./verify-image.ts";

const manifest = Buffer.from('{"schemaVersion":2}');
const digest = `sha256:${"a1".repeat(32)}`;
const other = `sha256:${"b2".repeat(32)}`;
const image = { digest, manifest };
const signer = sampleSigner();
const stranger = sampleSigner();
const keys = parseVerificationKeys(signer.publicKey, "Secret shop/keys, cosign.pub");
const jsonBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function simple(by = signer, of = digest, type?: string): SignatureEvidence {
  return { source: "tag", format: "simple-signing", ...simpleSigning(by, of, type) };
}
function dsse(by = signer, of = digest, predicateType?: string, payloadType?: string): SignatureEvidence {
  const statement = { digest: of, ...(predicateType === undefined ? {} : { predicateType }) };
  return { source: "tag", format: "dsse", bytes: jsonBytes(signedStatement(by, statement, payloadType)) };
}
function bundle(content: Parameters<typeof sigstoreBundle>[0]): SignatureEvidence {
  return { source: "referrer", format: "bundle", bytes: jsonBytes(sigstoreBundle(content)) };
}

function isWorthless(evidence: SignatureEvidence, at: number, change: number): boolean {
  const bytes = Buffer.from(evidence.bytes);
  const place = Math.floor(at * bytes.length);
  bytes[place] = (bytes[place] ?? 0) ^ change;
  const verdict = judgeEvidence({ ...evidence, bytes }, image, keys);
  if (verdict.kind === "rejected") return true;
  // Outside of what is signed, an envelope has fields that say nothing, such as the key's id.
  return evidence.format !== "simple-signing" && isDeepStrictEqual(verdict, judgeEvidence(evidence, image, keys));
}

describe("judging evidence", () => {
  test.each(["ec", "rsa", "ed25519"] as const)("a signature by a key of the kind %s counts", (type) => {
    const own = sampleSigner(type);
    const trusted = parseVerificationKeys(own.publicKey, `key ${type}`);
    expect(judgeEvidence(simple(own), image, trusted)).toEqual({ kind: "signature", key: `key ${type}` });
    expect(judgeEvidence(dsse(own), image, trusted)).toMatchObject({ kind: "attestation", key: `key ${type}` });
  });

  const cosignSign = "https://sigstore.dev/cosign/sign/v1";
  test.for([
    { reason: "cosign's claim since version 3", evidence: simple(signer, digest, cosignSign), kind: "signature" },
    {
      reason: "a bundle with the statement of a signature",
      evidence: bundle({ dsseEnvelope: signedStatement(signer, { digest, predicateType: cosignSign }) }),
      kind: "signature",
    },
    {
      reason: "a bundle that signs the manifest",
      evidence: bundle({ messageSignature: messageSignature(signer, manifest) }),
      kind: "signature",
    },
    {
      reason: "a bundle with a provenance is not a signature",
      evidence: bundle({ dsseEnvelope: signedStatement(signer, { digest }) }),
      kind: "attestation",
    },
    {
      reason: "a scan is an attestation",
      evidence: dsse(signer, digest, "https://x.example/scan"),
      kind: "attestation",
    },
  ])("$reason", ({ evidence, kind }) => {
    expect(judgeEvidence(evidence, image, keys)).toMatchObject({ kind });
  });

  test.for([
    { reason: "by a stranger", evidence: simple(stranger), says: "not signed by any of the keys" },
    { reason: "of another image", evidence: simple(signer, other), says: `about ${other}` },
    { reason: "of another kind of claim", evidence: simple(signer, digest, "atomic"), says: "critical.type" },
    { reason: "an envelope by a stranger", evidence: dsse(stranger), says: "not signed by any of the keys" },
    { reason: "a statement about another image", evidence: dsse(signer, other), says: `about ${other}` },
    {
      reason: "an envelope with something else",
      evidence: dsse(signer, digest, undefined, "text/plain"),
      says: 'type "text/plain"',
    },
    {
      reason: "a bundle that signs another manifest",
      evidence: bundle({ messageSignature: messageSignature(signer, Buffer.from("{}")) }),
      says: "not signed by any of the keys",
    },
    { reason: "a bundle with nothing in it", evidence: bundle({ dsseEnvelope: {} }), says: "not valid" },
    { reason: "no signature", evidence: { ...simple(), signature: "" }, says: "not signed by any of the keys" },
    { reason: "a signature that is not base64", evidence: { ...simple(), signature: "ä" }, says: "not base64" },
  ])("rejected: $reason", ({ evidence, says }) => {
    expect(judgeEvidence(evidence, image, keys)).toEqual({ kind: "rejected", reason: expect.stringContaining(says) });
  });

  test("a changed byte anywhere in the text, the signature, or the envelope makes it worthless", () => {
    const valid = [simple(), dsse(), bundle({ dsseEnvelope: signedStatement(signer, { digest }) })];
    const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    expect(() =>
      fc.assert(fc.property(fc.constantFrom(...valid), position, fc.integer({ min: 1, max: 255 }), isWorthless)),
    ).not.toThrow();
  });

  test("whatever bytes are attached, judging ends with a verdict", () => {
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record({
          mediaType: fc.constant("application/vnd.dev.sigstore.bundle.v0.3+json"),
          payloadType: fc.oneof(fc.constant("application/vnd.in-toto+json"), fc.string()),
          payload: fc.oneof(fc.base64String(), fc.anything()),
          signatures: fc.oneof(fc.array(fc.record({ sig: fc.base64String() })), fc.anything()),
          dsseEnvelope: fc.anything(),
          critical: fc.anything(),
        })
        .map((value) =>
          Buffer.from(JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? 1 : each))),
        ),
    );
    const format = fc.constantFrom<SignatureEvidence["format"][]>("simple-signing", "dsse", "bundle");
    const parsers = [parseSimpleSigning, parseDsseEnvelope, parseStatement, parseSigstoreBundle];
    const isHandled = (bytes: Uint8Array, each: SignatureEvidence["format"], signature: string): boolean =>
      parsers.every((parse) => isReadOrRefused(() => parse(bytes))) &&
      judgeEvidence({ source: "any", format: each, bytes, signature }, image, keys).kind === "rejected";
    expect(() => fc.assert(fc.property(anyBytes, format, fc.string(), isHandled))).not.toThrow();
  });
});

function isReadOrRefused(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    return error instanceof InputError;
  }
}

describe("reading keys", () => {
  const ecPrivate = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const smallRsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey;
  const otherCurve = generateKeyPairSync("ec", { namedCurve: "secp256k1" }).publicKey;
  const spki = { type: "spki", format: "pem" } as const;
  test.for([
    { reason: "nothing", pem: "", says: "expected a public key in PEM" },
    {
      reason: "a private key",
      pem: ecPrivate.export({ type: "pkcs8", format: "pem" }).toString(),
      says: "got a private one",
    },
    {
      reason: "cosign's own private key",
      pem: "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\neyJrZGYi\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----",
      says: "got a private one",
    },
    { reason: "a short RSA key", pem: smallRsa.export(spki).toString(), says: "not accepted: rsa 1024 bits" },
    { reason: "another curve", pem: otherCurve.export(spki).toString(), says: "not accepted: ec secp256k1" },
    {
      reason: "a broken key",
      pem: "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
      says: "cannot be read",
    },
    { reason: "a giant file", pem: "x".repeat(100_000), says: "got 100000 characters" },
  ])("refused: $reason", ({ pem, says }) => {
    expect(() => parseVerificationKeys(pem, "cosign.pub")).toThrow(says);
    expect(() => parseVerificationKeys(pem, "cosign.pub")).toThrow(/^cosign\.pub: /);
  });

  test("several keys in one text are all trusted, so that a key can be replaced", () => {
    const both = parseVerificationKeys(`${stranger.publicKey}\n${signer.publicKey}`, "keys.pub");
    expect(judgeEvidence(simple(), image, both)).toEqual({ kind: "signature", key: "keys.pub" });
    expect(judgeEvidence(simple(stranger), image, both)).toEqual({ kind: "signature", key: "keys.pub" });
  });
});

function judged(...evidence: SignatureEvidence[]) {
  return evidence.map((each) => ({ source: each.source, verdict: judgeEvidence(each, image, keys) }));
}

describe("what an image lacks", () => {
  const both = ["signature", "provenance"] as const;
  test("a signature and a provenance are two things", () => {
    expect(missingParts(judged(simple(), dsse()), { requires: both })).toEqual([]);
    expect(missingParts(judged(simple()), { requires: both })).toEqual(["it has no valid provenance"]);
    expect(missingParts(judged(dsse()), { requires: both })).toEqual(["it has no valid signature"]);
    expect(missingParts(judged(simple(), dsse(signer, digest, "https://x.example/scan")), { requires: both })).toEqual([
      "it has no valid provenance",
    ]);
  });

  test("a provenance of another builder is named", () => {
    const rules = { requires: ["provenance"], builders: ["https://ci.example"] } as const;
    expect(missingParts(judged(dsse()), rules)).toEqual([
      "its provenance names https://tekton.dev/chains/v2, expected https://ci.example",
    ]);
    expect(missingParts(judged(dsse()), { ...rules, builders: ["https://tekton.dev/chains/v2"] })).toEqual([]);
  });
});
