import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRegistries, parseVerificationKeys, verifyImage } from "#oci";
import { SamplePusher, startLibraryRegistry, type TestRegistry } from "#registry";
import { readRecordedSignatures, type RecordedSignatures, replaySignatures } from "../cosign/recorded-signatures.ts";

const requires = ["signature", "provenance"] as const;
const recorded = await readRecordedSignatures();
let registry: TestRegistry;
beforeAll(async () => {
  registry = await startLibraryRegistry();
});
afterAll(() => registry[Symbol.asyncDispose]());

async function verify({ name, digest }: RecordedSignatures, publicKey: string, builders?: readonly string[]) {
  await using registries = openRegistries();
  const keys = parseVerificationKeys(publicKey, "cosign.pub");
  const image = { registry: registry.host, repository: name, digest };
  return await verifyImage(registries, image, { keys, requires, builders }, new AbortController().signal);
}

test.for(recorded)("an image that cosign itself signed and attested, as $name, is verified", async (image) => {
  await replaySignatures(image, new SamplePusher(registry.url, image.name));
  const { missing, evidence } = await verify(image, image.publicKey, ["https://ci.example"]);
  expect(missing).toEqual([]);
  expect(evidence.map(({ verdict }) => verdict.kind).toSorted()).toEqual(["attestation", "signature"]);
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const stranger = publicKey.export({ type: "spki", format: "pem" }).toString();
  expect((await verify(image, stranger)).missing).toEqual([
    expect.stringContaining("not signed by any of the keys"),
    expect.stringContaining("not signed by any of the keys"),
  ]);
});
