import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SamplePusher, startEmbeddedRegistry, startLibraryRegistry, type TestRegistry } from "#registry";
import { openRegistries } from "../registry/open-registries.ts";
import {
  EvidencePusher,
  messageSignature,
  sampleSigner,
  signedStatement,
  sigstoreBundle,
  simpleSigning,
} from "./sample-signatures.fixture.ts";
import { parseVerificationKeys } from "./verification-key.ts";
import { describeMissing, verifyImage } from "./verify-image.ts";

const signal = new AbortController().signal;
const signer = sampleSigner();
const stranger = sampleSigner();
const keys = parseVerificationKeys(signer.publicKey, "cosign.pub");
const requires = ["signature", "provenance"] as const;

describe.each([
  { kind: "go-containerregistry's registry, with referrers", start: startLibraryRegistry },
  { kind: "the embedded registry, without", start: startEmbeddedRegistry },
])("verifying images on $kind", ({ start }) => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await start();
  });
  afterAll(() => registry[Symbol.asyncDispose]());

  async function verify(repository: string, digest: string) {
    await using registries = openRegistries();
    const image = { registry: registry.host, repository, digest };
    const verification = await verifyImage(registries, image, { keys, requires }, signal);
    return { ...verification, text: describeMissing(image, verification) };
  }

  test("signatures and attestations under cosign's tags are found and verified", async () => {
    const pusher = new SamplePusher(registry.url, "acme/tags");
    const [evidence, index] = [new EvidencePusher(pusher), await pusher.index()];
    expect((await verify("acme/tags", index.digest)).text).toBe(
      `${registry.host}/acme/tags@${index.digest}: it has no valid signature: none is attached to it; it has no valid provenance: none is attached to it`,
    );
    const signature = await evidence.signature(index.digest, simpleSigning(signer, index.digest));
    expect((await verify("acme/tags", index.digest)).missing).toEqual([
      expect.stringContaining("it has no valid provenance"),
    ]);
    await evidence.attestation(index.digest, signedStatement(signer, { digest: index.digest }));
    const verified = await verify("acme/tags", index.digest);
    expect(verified.missing).toEqual([]);
    expect(verified.evidence.map(({ verdict }) => verdict)).toEqual([
      { kind: "signature", key: "cosign.pub" },
      {
        kind: "attestation",
        key: "cosign.pub",
        predicateType: "https://slsa.dev/provenance/v1",
        builder: "https://tekton.dev/chains/v2",
      },
    ]);
    // A signature is an image too, and the one of another image does not cover it.
    expect((await verify("acme/tags", signature.digest)).missing).toHaveLength(2);
  });

  test("a signature by someone else, or of another image under this one's tag, does not count", async () => {
    const pusher = new SamplePusher(registry.url, "acme/forged");
    const [evidence, one, two] = [new EvidencePusher(pusher), await pusher.index(), await pusher.index()];
    await evidence.signature(one.digest, simpleSigning(stranger, one.digest));
    await evidence.signature(two.digest, simpleSigning(signer, one.digest));
    expect((await verify("acme/forged", one.digest)).text).toMatch(
      /it has no valid signature: .*\.sig: it is not signed by any of the keys/,
    );
    expect((await verify("acme/forged", two.digest)).text).toContain(`.sig: it is about ${one.digest}`);
  });

  test("something broken under the tag of a signature is named, and the image stays unsigned", async () => {
    const pusher = new SamplePusher(registry.url, "acme/broken");
    const [evidence, index] = [new EvidencePusher(pusher), await pusher.index()];
    await evidence.signature(index.digest, { bytes: Buffer.from("no JSON"), signature: "####" });
    expect((await verify("acme/broken", index.digest)).text).toContain("the signature is not base64");
  });
});

describe("bundles by referrers", () => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await startLibraryRegistry();
  });
  afterAll(() => registry[Symbol.asyncDispose]());

  test.for([
    { reason: "a statement", repository: "acme/statement", isMessage: false },
    { reason: "the manifest itself", repository: "acme/message", isMessage: true },
  ])("a bundle that signs $reason is a signature", async ({ repository, isMessage }) => {
    const pusher = new SamplePusher(registry.url, repository);
    const [evidence, index] = [new EvidencePusher(pusher), await pusher.index()];
    const predicateType = "https://sigstore.dev/cosign/sign/v1";
    const content = isMessage
      ? { messageSignature: messageSignature(signer, index.bytes) }
      : { dsseEnvelope: signedStatement(signer, { digest: index.digest, predicateType }) };
    await using registries = openRegistries();
    const image = { registry: registry.host, repository, digest: index.digest };
    // An attestation alone is not a signature.
    await evidence.bundle(index, sigstoreBundle({ dsseEnvelope: signedStatement(signer, { digest: index.digest }) }));
    const before = await verifyImage(registries, image, { keys, requires }, signal);
    expect(before.missing).toEqual([expect.stringContaining("it has no valid signature")]);
    await evidence.bundle(index, sigstoreBundle(content));
    expect((await verifyImage(registries, image, { keys, requires }, signal)).missing).toEqual([]);
  });

  test("very many referrers are not all read, and the message says so", async () => {
    const pusher = new SamplePusher(registry.url, "acme/many");
    const [evidence, index] = [new EvidencePusher(pusher), await pusher.index()];
    for (let count = 0; count < 103; count++) {
      const digest = `sha256:${count.toString(16).padStart(64, "0")}`;
      await evidence.bundle(index, sigstoreBundle({ dsseEnvelope: signedStatement(stranger, { digest }) }));
    }
    await using registries = openRegistries();
    const image = { registry: registry.host, repository: "acme/many", digest: index.digest };
    const verification = await verifyImage(registries, image, { keys, requires }, signal);
    expect(verification.missing[0]).toContain("3 of 103 referrers were not read");
  });
});
