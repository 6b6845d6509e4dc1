import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SamplePusher, startEmbeddedRegistry, type TestRegistry } from "#registry";
import {
  EvidencePusher,
  sampleSigner,
  signedStatement,
  simpleSigning,
} from "../../oci/signatures/sample-signatures.fixture.ts";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

let registry: TestRegistry;

beforeAll(async () => {
  registry = await startEmbeddedRegistry();
});
afterAll(() => registry[Symbol.asyncDispose]());

async function verify(...words: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const shell = new FakeShell({ env: { NO_COLOR: "1" } });
  const exitCode = await runCommandLine(["image", "verify", ...words], shell);
  return { exitCode, stdout: shell.stdout.text, stderr: shell.stderr.text };
}

test("`tenon image verify` accepts what a key signed, and says what is missing otherwise", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-verify-"));
  const [signer, file, strange] = [sampleSigner(), join(directory.path, "a.pub"), join(directory.path, "b.pub")];
  await writeFile(file, signer.publicKey);
  await writeFile(strange, sampleSigner("ed25519").publicKey);
  const pusher = new SamplePusher(registry.url, "cli/signed");
  const [evidence, { digest }] = [new EvidencePusher(pusher), await pusher.index("v1")];
  const image = `${registry.host}/cli/signed:v1`;

  const unsigned = await verify(image, "--key", file);
  expect(unsigned.exitCode).toBe(1);
  expect(unsigned.stderr).toContain(`cli/signed@${digest}: it has no valid signature: none is attached to it`);

  await evidence.signature(digest, simpleSigning(signer, digest));
  const signed = await verify(image, "--key", strange, "--key", file);
  expect(signed).toMatchObject({ exitCode: 0, stderr: "" });
  expect(signed.stdout).toContain(`signed by ${file}`);

  const foreign = await verify(image, "--key", strange);
  expect(foreign.exitCode).toBe(1);
  expect(foreign.stdout).toContain("it is not signed by any of the keys");

  const parts = ["--require", "signature,provenance", "--builder", "https://ci.example"];
  expect((await verify(image, "--key", file, ...parts)).stderr).toContain("it has no valid provenance");
  await evidence.attestation(digest, signedStatement(signer, { digest }));
  expect((await verify(image, "--key", file, ...parts)).stderr).toContain(
    "its provenance names https://tekton.dev/chains/v2, expected https://ci.example",
  );
  const all = await verify(image, "--key", file, "--require", "signature,provenance", "-o", "json");
  expect(JSON.parse(all.stdout)).toMatchObject({ isVerified: true, missing: [], evidence: [{}, {}] });
});

test.for([
  { words: ["--key", "/nowhere"], message: "/nowhere: cannot read the file", reason: "no such file" },
  { words: [], message: "no key is given", reason: "no key" },
  { words: ["--key", "a", "--require", "luck"], message: "Choose from signature, provenance", reason: "no such part" },
])("`tenon image verify` refuses $reason with what to do", async ({ words, message }) => {
  const { exitCode, stderr } = await verify(`${registry.host}/cli/none:v1`, ...words);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(message);
});
