import { readFile } from "node:fs/promises";
import { CommandFailed, InputError } from "#base";
import {
  describeMissing,
  formatRepository,
  type JudgedEvidence,
  parseImageReference,
  parseVerificationKeys,
  type VerificationPart,
  verifyImage,
} from "#oci";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { Column } from "../terminal/format-table.ts";
import { printDocument, printRows } from "../terminal/print-rows.ts";
import { openShellRegistries, type RegistryChoice } from "./shell-registries.ts";

export interface CheckImageChoice extends RegistryChoice {
  readonly key: readonly string[];
  readonly require: readonly VerificationPart[];
  readonly builder: readonly string[];
  readonly output: OutputFormat;
}

const columns: readonly Column<JudgedEvidence>[] = [
  {
    header: "evidence",
    value: ({ verdict }) => (verdict.kind === "attestation" ? verdict.predicateType : verdict.kind),
    colour: ({ verdict }) => (verdict.kind === "rejected" ? "red" : "green"),
  },
  {
    header: "why",
    value: ({ verdict }) => (verdict.kind === "rejected" ? verdict.reason : `signed by ${verdict.key}`),
  },
  { header: "at", value: ({ source }) => shortenDigest(source), keep: "end" },
];

/** The name of a tag or a manifest with the first digits of its digest; JSON has all of them. */
function shortenDigest(source: string): string {
  return source.replace(/(sha256[-:][0-9a-f]{7})[0-9a-f]{57}/, "$1…");
}

/** `tenon image verify` */
export async function checkImage(text: string, choice: CheckImageChoice, shell: Shell): Promise<void> {
  const image = parseImageReference(text);
  if (choice.key.length === 0) {
    throw new InputError("no key is given", { next: "add --key FILE with a public key in PEM, such as cosign.pub" });
  }
  const keys = (await Promise.all(choice.key.map(readKeyFile))).flat();
  const builders = choice.builder.length === 0 ? {} : { builders: choice.builder };
  await using registries = await openShellRegistries(choice, shell);
  const rules = { keys, requires: choice.require, ...builders };
  const verification = await verifyImage(registries, image, rules, shell.signal);
  const { digest, evidence, missing } = verification;
  if (choice.output === "json" || choice.output === "yaml") {
    const document = {
      image: `${formatRepository(image)}@${digest}`,
      isVerified: missing.length === 0,
      missing,
      evidence,
    };
    await printDocument(document, choice.output, shell);
  } else {
    await printRows({ rows: evidence, columns, whenEmpty: "nothing is attached to the image" }, choice.output, shell);
  }
  if (missing.length === 0) return;
  throw new CommandFailed(describeMissing(image, verification), {
    next: "sign what is missing, as with `cosign sign --key` or `cosign attest --key`, or check with another --key",
  });
}

async function readKeyFile(file: string): Promise<ReturnType<typeof parseVerificationKeys>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw new InputError("cannot read the file", { where: file, next: "check --key and the permissions", cause });
  }
  return parseVerificationKeys(text, file);
}
