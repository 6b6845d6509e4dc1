import { z } from "zod";
import type { PullRequestText } from "#forge";
import { cutForgeText, forgeCode, forgeLink, forgeTable, forgeText } from "../forge-markdown.ts";
import { reportedState } from "../reports/report-state.ts";
import { hasPassed, type TestStatusEntry } from "../scenarios/test-statuses.ts";
import type { ProposedDigests } from "./decide-proposal.ts";
import type { EditedFile } from "./edit-file.ts";
import type { ImageOrigin, SourceCommit } from "./image-origin.ts";

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
  readonly releases: readonly ProposedRelease[];
  /** By `repository:tag`, as far as Snapshots tell. */
  readonly origins: Readonly<Record<string, ImageOrigin>>;
}

export interface ProposedRelease {
  readonly name: string;
  readonly snapshot: string;
  /** Undefined if the Snapshot cannot be read. */
  readonly tests: readonly TestStatusEntry[] | undefined;
}

const markerName = "tenon.dev/propagation";
const Marker = z.object({ digests: z.record(z.string(), z.string()) });

export function writePullRequest(content: ProposalContent): PullRequestText {
  const { propagation, stage, unreferenced, superseded } = content;
  const problems = content.files.flatMap(({ path, problems: found }) =>
    found.map(
      ({ line, reason }) => `- ${forgeCode(line === undefined ? path : `${path}:${line}`)}: ${forgeText(reason)}`,
    ),
  );
  const parts = [
    `${content.isRollback ? "Goes back to the digests" : "Sets the digests"} that the Propagation ${forgeCode(propagation)} has for the stage ${forgeCode(stage)}.`,
    imageTable(content),
    ...section("Released by:", content.releases.map(describeRelease)),
    ...section(
      "Not referenced in this repository:",
      unreferenced.map((image) => `- ${forgeCode(image)}`),
    ),
    ...section("Not edited:", problems),
    ...section(
      "Superseded proposals of this pull request:",
      superseded.map((digests) => `- ${Object.entries(digests).map(describeDigest).join(", ")}`),
    ),
    "Merge to promote. Close to decline these digests; the next ones get a new pull request. Tenon stops changing this branch as soon as anyone else pushes to it.",
  ];
  return { title: writeTitle(content), body: `${cutForgeText(parts.join("\n\n"))}\n\n${writeMarker(content)}\n` };
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

/** More images than these are in the changed files only. */
const mostRows = 100;

function imageTable({ digests, components, files, origins }: ProposalContent): string {
  const references = files.flatMap((file) => file.references);
  const hasOrigins = Object.keys(origins).length > 0;
  const rows = Object.entries(digests).map(([name, digest]) => {
    const own = references.filter(({ image }) => `${image.repository}:${image.tag}` === name);
    const before = [...new Set(own.map(({ digestBefore }) => digestBefore ?? "no digest"))].filter(
      (each) => each !== digest,
    );
    const row = [
      components[name] ?? forgeCode(name),
      forgeCode(name),
      before.map(forgeCode).join("<br>"),
      forgeCode(digest),
    ];
    return hasOrigins ? row.concat(describeOrigin(origins[name])) : row;
  });
  const head = ["component", "image", "before", "after", ...(hasOrigins ? ["source"] : [])];
  const more = rows.length > mostRows ? `\n\nAnd ${rows.length - mostRows} more.` : "";
  return `${forgeTable(head, rows.slice(0, mostRows))}${more}`;
}

/** The commits between the two images if they are of one repository, else the commit of the new one. */
function describeOrigin(origin: ImageOrigin | undefined): string {
  if (!origin) return "";
  const { before, after } = origin;
  const page = pageOf(after);
  const name = page?.name ?? withoutCredentials(after.repository);
  if (before?.repository !== after.repository || before.revision === after.revision) {
    return forgeLink(`${name}@${short(after)}`, page && `${page.url}/commit/${after.revision}`);
  }
  const range = `${before.revision}...${after.revision}`;
  const isLinked = isCommit(before.revision) && page !== undefined;
  return forgeLink(`${name}@${short(before)}...${short(after)}`, isLinked ? `${page.url}/compare/${range}` : undefined);
}

/** Where the commits of a repository are shown; undefined unless the address can be nothing else. GitHub and Gitea have the same paths. */
function pageOf({ repository, revision, isOnGitlab }: SourceCommit) {
  const url = URL.canParse(repository) && repository.length <= 500 ? new URL(repository) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  const path = url.pathname.replace(/\/+$/, "").replace(/\.git$/, "");
  if (!isCommit(revision) || !/^(?:\/[\w.~-]+)+$/.test(path)) return undefined;
  return { name: `${url.host}${path}`, url: `${url.origin}${path}${isOnGitlab ? "/-" : ""}` };
}

function withoutCredentials(repository: string): string {
  return repository.replace(/^([\w+.-]+:\/\/)?[^@/]*@/, "$1");
}

function isCommit(revision: string): boolean {
  return /^[0-9a-f]{7,64}$/.test(revision);
}

function short({ revision }: SourceCommit): string {
  return isCommit(revision) ? revision.slice(0, 7) : revision.slice(0, 100);
}

const mostTests = 20;

function describeRelease({ name, snapshot, tests }: ProposedRelease): string {
  const release = `- Release ${forgeCode(name)} of Snapshot ${forgeCode(snapshot)}`;
  if (!tests) return release;
  if (tests.length === 0) return `${release}, which has no tests`;
  // Those that did not pass are what a person looks for.
  const sorted = tests.toSorted((one, other) => Number(hasPassed(one.status)) - Number(hasPassed(other.status)));
  const shown = sorted.slice(0, mostTests).map(({ scenario, status, isOptionalScenario = false }) => {
    const { verb } = reportedState(status, isOptionalScenario, "gitea");
    return `${forgeCode(scenario)}${isOptionalScenario ? " (optional)" : ""} ${verb}`;
  });
  const more = tests.length > shown.length ? [`and ${tests.length - shown.length} more`] : [];
  return `${release}: ${[...shown, ...more].join(", ")}`;
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
  return forgeCode(`${image}@${shortDigest(digest)}`);
}

/** The seven digits that people know a digest by. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, "").slice(0, 7);
}
