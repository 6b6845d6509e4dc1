import { formatImageReference, formatRepository, parseImageReference, retag } from "#oci";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printDocument, printRows } from "../terminal/print-rows.ts";
import { type GuardChoice, openShellRegistries, readGuards, type RegistryChoice } from "./shell-registries.ts";
import { requireMoved, tagColumns, tagRow } from "./tag-rows.ts";

export interface RetagChoice extends RegistryChoice, GuardChoice {
  readonly dryRun: boolean;
  readonly output: OutputFormat;
}

/** `tenon image retag` */
export async function retagImage(
  text: string,
  tags: readonly string[],
  choice: RetagChoice,
  shell: Shell,
): Promise<void> {
  const image = parseImageReference(text);
  const guards = readGuards(choice);
  await using registries = await openShellRegistries(choice, shell);
  const requests = [...new Set(tags)].map((tag) => Object.assign({ tag }, guards));
  const result = await retag(registries, { image, tags: requests, isDryRun: choice.dryRun }, shell.signal);
  const rows = result.tags.map((outcome) => tagRow(formatRepository(image), outcome, choice.dryRun));
  if (choice.output === "json" || choice.output === "yaml") {
    const document = { image: formatImageReference(image), digest: result.digest, isDryRun: choice.dryRun, tags: rows };
    await printDocument(document, choice.output, shell);
  } else {
    await printRows({ rows, columns: tagColumns, whenEmpty: "" }, choice.output, shell);
  }
  requireMoved(rows);
}
