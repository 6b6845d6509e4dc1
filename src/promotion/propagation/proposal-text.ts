import { z } from "zod";
import type { PullRequestText } from "#forge";
import type { ProposedDigests } from "./decide-proposal.ts";
import type { EditedFile } from "./edit-file.ts";

/** What a commit and its pull request say. */
export interface ProposalContent {
  /** `namespace/name` of the Propagation. */
  readonly propagation: string;
  readonly stage: string;
  readonly digests: ProposedDigests;
  /** Names for people, by `repository:tag`. */
  readonly components: Readonly<Record<string, string>>;
  readonly files: readonly EditedFile[];
  /** Images that no file refers to, as `repository:tag`. */
  readonly unreferenced: readonly string[];
  /** What the same pull request proposed before, oldest first. */
  readonly superseded: readonly ProposedDigests[];
  readonly isRollback: boolean;
  /** The Releases that brought these digests, as far as the source knows them. */
  readonly releases: readonly { readonly name: string; readonly snapshot: string }[];
}

const markerName = "tenon.dev/propagation";
const Marker = z.object({ digests: z.record(z.string(), z.string()) });

export function writePullRequest(content: ProposalContent): PullRequestText {
  const { propagation, stage, unreferenced, superseded } = content;
  const problems = content.files.flatMap(({ path, problems: found }) =>
    found.map(({ line, reason }) => `- ${code(line === undefined ? path : `${path}:${line}`)}: ${reason}`),
  );
  const parts = [
    `${content.isRollback ? "Goes back to the digests" : "Sets the digests"} that the Propagation ${code(propagation)} has for the stage ${code(stage)}.`,
    ["| component | image | before | after |", "|---|---|---|---|", ...tableRows(content)].join("\n"),
    ...section(
      "Released by:",
      content.releases.map(({ name, snapshot }) => `- Release ${code(name)} of Snapshot ${code(snapshot)}`),
    ),
    ...section(
      "Not referenced in this repository:",
      unreferenced.map((image) => `- ${code(image)}`),
    ),
    ...section("Not edited:", problems),
    ...section(
      "Superseded proposals of this pull request:",
      superseded.map((digests) => `- ${Object.entries(digests).map(describeDigest).join(", ")}`),
    ),
    "Merge to promote. Close to decline these digests; the next ones get a new pull request. Tenon stops changing this branch as soon as anyone else pushes to it.",
    writeMarker(content),
  ];
  return { title: writeTitle(content), body: `${parts.join("\n\n")}\n` };
}

export function writeCommitMessage(content: ProposalContent): string {
  const trailers = [
    ...content.releases.flatMap(({ name, snapshot }) => [`Release: ${name}`, `Snapshot: ${snapshot}`]),
    ...Object.entries(content.digests).map(([image, digest]) => `Image: ${image}@${digest}`),
  ];
  return `${writeTitle(content)}\n\n${[`Propagation: ${content.propagation}`, `Stage: ${content.stage}`, ...trailers].join("\n")}\n`;
}

/** What a pull request proposes, by the marker in its text; undefined if there is none. */
export function readMarker(body: string): ProposedDigests | undefined {
  const [, text] = new RegExp(`<!-- ${markerName} ([^\\n]*) -->`).exec(body) ?? [];
  if (text === undefined) return undefined;
  try {
    return Marker.parse(JSON.parse(text)).digests;
  } catch {
    return undefined; // someone changed it
  }
}

function writeTitle({ propagation, digests, components, isRollback }: ProposalContent): string {
  const app = propagation.slice(propagation.indexOf("/") + 1);
  const verb = isRollback ? "Roll back" : "Promote";
  const entries = Object.entries(digests);
  const [[image, digest] = ["", ""]] = entries;
  return entries.length === 1
    ? `${verb} ${app}: ${components[image] ?? image} to ${shortDigest(digest)}`
    : `${verb} ${app} (${entries.length} components)`;
}

function tableRows({ digests, components, files }: ProposalContent): string[] {
  const references = files.flatMap((file) => file.references);
  return Object.entries(digests).map(([name, digest]) => {
    const own = references.filter(({ image }) => `${image.repository}:${image.tag}` === name);
    const before = [...new Set(own.map(({ digestBefore }) => digestBefore ?? "no digest"))].filter(
      (each) => each !== digest,
    );
    return `| ${components[name] ?? name} | ${code(name)} | ${before.map(code).join("<br>")} | ${code(digest)} |`;
  });
}

function section(title: string, lines: readonly string[]): string[] {
  const shown = lines.slice(0, 50);
  const more = lines.length > shown.length ? [`- and ${lines.length - shown.length} more`] : [];
  return lines.length === 0 ? [] : [`${title}\n\n${[...shown, ...more].join("\n")}`];
}

/** `--` would end the comment for some readers. */
function writeMarker({ propagation, stage, digests }: ProposalContent): string {
  const text = JSON.stringify({ propagation, stage, digests }).replaceAll("--", String.raw`-\u002d`);
  return `<!-- ${markerName} ${text} -->`;
}

function describeDigest([image, digest]: readonly [string, string]): string {
  return code(`${image}@${shortDigest(digest)}`);
}

/** The seven digits that people know a digest by. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, "").slice(0, 7);
}

/** Paths come from the repository, so that they may hold anything. */
function code(text: string): string {
  return `\`${text.replaceAll(/[`|\r\n]/g, " ")}\``;
}
