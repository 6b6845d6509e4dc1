import { InputError } from "#base";
import {
  type Companion,
  copyImage,
  type CopyResult,
  formatImageReference,
  formatRepository,
  parseImageReference,
} from "#oci";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printDocument, printRows } from "../terminal/print-rows.ts";
import { showProgress } from "../terminal/progress.ts";
import { describeBytes } from "./describe-bytes.ts";
import { type GuardChoice, openShellRegistries, readGuards, type RegistryChoice } from "./shell-registries.ts";
import { requireMoved, tagColumns, type TagRow, tagRow } from "./tag-rows.ts";

export interface CopyChoice extends RegistryChoice, GuardChoice {
  readonly companions: boolean;
  readonly recheck: boolean;
  readonly dryRun: boolean;
  readonly output: OutputFormat;
}

/** `tenon image copy` */
export async function copyImages(from: string, to: string, choice: CopyChoice, shell: Shell): Promise<void> {
  const [source, { digest, ...target }] = [parseImageReference(from), parseImageReference(to)];
  if (digest !== undefined) {
    throw new InputError("the target has a digest, which follows from the image", {
      where: to,
      next: "leave out @ and the digest",
    });
  }
  const guards = readGuards(choice);
  await using registries = await openShellRegistries(choice, shell);
  const result = await copyWithProgress();
  const repository = formatRepository(target);
  const rows = [imageRow(result, repository, choice.dryRun), ...result.companions.map(companionRow)];

  async function copyWithProgress(): Promise<CopyResult> {
    using progress = showProgress(shell.stderr, shell.env);
    return await copyImage(
      registries,
      {
        source,
        target,
        guards,
        skipsCompanions: !choice.companions,
        isThorough: choice.recheck,
        isDryRun: choice.dryRun,
        onProgress: ({ bytes, totalBytes, blobs, totalBlobs }) =>
          progress.update(
            "blobs",
            `copying: ${describeBytes(bytes)} of ${describeBytes(totalBytes)}, ${blobs} of ${totalBlobs} blobs`,
          ),
      },
      shell.signal,
    );
  }

  function companionRow({ kind, artifactType, subject, tag, digest: own }: Companion): TagRow {
    const name = kind === "referrer" ? (artifactType ?? kind) : kind;
    return {
      image: `${repository}${tag === undefined ? `@${own}` : `:${tag}`}`,
      newDigest: own,
      result: `${name} of ${subject.slice(0, "sha256:".length + 7)}${choice.dryRun ? "" : " copied"}`,
    };
  }

  if (choice.output === "json" || choice.output === "yaml") {
    const document = {
      source: formatImageReference(source),
      target: formatImageReference(target),
      isDryRun: choice.dryRun,
      ...result,
      tag: rows[0],
    };
    await printDocument(document, choice.output, shell);
  } else {
    await printRows({ rows, columns: tagColumns, whenEmpty: "" }, choice.output, shell);
    if (!choice.dryRun) shell.stderr.write(`${describeTransfer(result)}\n`);
  }
  requireMoved(rows);
}

function imageRow({ tag, digest, manifests }: CopyResult, repository: string, isDryRun: boolean): TagRow {
  if (tag) return tagRow(repository, tag, isDryRun);
  const result = manifests === 0 ? "unchanged" : isDryRun ? "would be copied" : "copied";
  return { image: `${repository}@${digest}`, newDigest: digest, result };
}

function describeTransfer({ mounted, uploaded, present, uploadedBytes }: CopyResult): string {
  if (mounted + uploaded + present === 0) return "nothing to transfer";
  return `${mounted} blobs mounted, ${uploaded} uploaded (${describeBytes(uploadedBytes)}), ${present} were there already`;
}
