import { type Companion, formatImageReference, type ImageSummary, inspectImage, parseImageReference } from "#oci";
import type { OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { Column } from "../terminal/format-table.ts";
import { printDocument, printRows } from "../terminal/print-rows.ts";
import { alignPairs } from "../terminal/text-width.ts";
import { visibleText } from "../terminal/visible-text.ts";
import { describeBytes } from "./describe-bytes.ts";
import { openShellRegistries, type RegistryChoice } from "./shell-registries.ts";

export interface InspectChoice extends RegistryChoice {
  readonly output: OutputFormat;
}

interface PartRow {
  readonly kind: string;
  readonly of: string | undefined;
  readonly digest: string;
  readonly bytes?: number;
}

const columns: readonly Column<PartRow>[] = [
  { header: "kind", value: ({ kind }) => kind },
  { header: "of", value: ({ of }) => of },
  { header: "digest", value: ({ digest }) => digest },
  { header: "size", value: ({ bytes }) => (bytes === undefined ? undefined : describeBytes(bytes)) },
];

/** `tenon image inspect` */
export async function printImage(text: string, choice: InspectChoice, shell: Shell): Promise<void> {
  const image = parseImageReference(text);
  await using registries = await openShellRegistries(choice, shell);
  const summary = await inspectImage(registries, image, shell.signal);
  const name = formatImageReference(image);
  if (choice.output === "json" || choice.output === "yaml") {
    await printDocument({ image: name, ...summary }, choice.output, shell);
    return;
  }
  if (choice.output === "table") shell.stdout.write(`${describeImage(name, summary)}\n\n`);
  await printRows({ rows: partsOf(summary), columns, whenEmpty: "" }, choice.output, shell);
}

function describeImage(name: string, { digest, mediaType, config }: ImageSummary): string {
  const pairs = [
    ["image", name],
    ["digest", digest],
    ["type", mediaType],
    ...(config.created === undefined ? [] : [["created", config.created] as const]),
  ] as const;
  return alignPairs(pairs.map(([key, value]) => [key, visibleText(value)]));
}

function partsOf({ platforms, companions, digest }: ImageSummary): PartRow[] {
  const platformNames = new Map(platforms.map((each) => [each.digest, each.platform]));
  const subjectOf = ({ subject }: Companion): string =>
    subject === digest ? "the image" : (platformNames.get(subject) ?? subject);
  return [
    ...platforms.map(({ platform, digest: own, bytes }) => ({ kind: "platform", of: platform, digest: own, bytes })),
    ...companions.map((companion) => ({
      kind: companion.artifactType ?? companion.kind,
      of: subjectOf(companion),
      digest: companion.digest,
    })),
  ];
}
