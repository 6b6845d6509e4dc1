import { isRecord } from "#base";
import type { ForgeKind } from "#forge";
import type { KubeObject } from "#kube";
import { copiedPacPrefix, pacNames, promotionAnnotations } from "../kinds/promotion-names.ts";
import { pacValue, type TestedSnapshot } from "../scenarios/tested-snapshot.ts";

/** The Snapshot of a commit that results are reported to: the tested one itself, or one of a group. */
export interface ReportDestination {
  readonly snapshot: string;
  readonly component: string;
  /** Of a member of a group. */
  readonly buildRun?: string;
  readonly pullRequest?: string;
}

/** A commit on a forge, and the pull request that it is of. */
export interface ReportTarget {
  readonly forge: ForgeKind;
  /** Such as `https://forge.example/acme/web`. */
  readonly repository: string;
  readonly commit: string;
  readonly pullRequest?: number;
  /** Of GitHub's App. */
  readonly installation?: number;
  /** The commit is in a repository of someone else. */
  readonly isFork: boolean;
  /** As far as the Component says. */
  readonly allowsComments: boolean;
}

export type FoundTarget =
  | { readonly kind: "target"; readonly target: ReportTarget }
  | { readonly kind: "problem"; readonly message: string };

const forges: Readonly<Record<string, ForgeKind>> = {
  github: "github",
  gitlab: "gitlab",
  gitea: "gitea",
  forgejo: "gitea",
};

/** A group Snapshot reports to the pull request of each of its members. */
export function destinationsOf({ type, name, component = "", annotations }: TestedSnapshot): ReportDestination[] {
  if (type !== "group") return [{ snapshot: name, component }];
  let members: unknown;
  try {
    members = JSON.parse(annotations[promotionAnnotations.groupMembers] ?? "[]");
  } catch {
    members = [];
  }
  const list: readonly unknown[] = Array.isArray(members) ? members : [];
  return list.filter(isRecord).map((member) => ({
    snapshot: String(member["snapshot"]),
    component: String(member["component"]),
    buildRun: String(member["buildPipelineRun"]),
    pullRequest: `${String(member["repoUrl"])} ${String(member["pullRequestNumber"])}`,
  }));
}

/**
 * Where the build of a Snapshot came from. Labels and annotations of a Snapshot may be written by people who may not write the
 * Component, so a commit is only reported on in the repository that the Component names.
 */
export function findTarget(snapshot: TestedSnapshot, component: KubeObject | undefined): FoundTarget {
  const provider = pacValue(snapshot, pacNames.gitProvider);
  const repository = pacValue(snapshot, pacNames.repositoryUrl);
  const commit = pacValue(snapshot, pacNames.sha);
  const missing = [
    [pacNames.gitProvider, provider],
    [pacNames.repositoryUrl, repository],
    [pacNames.sha, commit],
  ].flatMap(([key, value]) => (value === undefined || value === "" ? [`${copiedPacPrefix}${key ?? ""}`] : []));
  if (!provider || !repository || !commit) {
    return problem(
      `the build did not say where its commit is: ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`,
    );
  }
  const forge = forges[provider];
  if (!forge)
    return problem(
      `${copiedPacPrefix}${pacNames.gitProvider}: expected github, gitlab, gitea or forgejo, got ${provider}`,
    );
  if (!component) return problem(`Component ${snapshot.component ?? ""} not found, so its repository is not known`);
  const own = sourceOf(component);
  if (own === undefined || !isSameRepository(own, repository)) {
    return problem(
      `${copiedPacPrefix}${pacNames.repositoryUrl} is ${repository}, but Component ${component.metadata.name} is built from ${own ?? "no repository"}; results are reported to the repository of the Component only`,
    );
  }
  const source = pacValue(snapshot, pacNames.sourceRepositoryUrl);
  const pullRequest = Number(pacValue(snapshot, pacNames.pullRequest));
  const installation = Number(pacValue(snapshot, pacNames.installation));
  return {
    kind: "target",
    target: {
      forge,
      repository,
      commit,
      ...(Number.isInteger(pullRequest) && pullRequest > 0 ? { pullRequest } : {}),
      ...(Number.isInteger(installation) && installation > 0 ? { installation } : {}),
      isFork: source !== undefined && ownerOf(source) !== ownerOf(repository),
      allowsComments: commentStrategy(component) !== "disable_all",
    },
  };
}

function problem(message: string): FoundTarget {
  return { kind: "problem", message };
}

/** The repository of a Component, in either model. */
function sourceOf({ spec }: KubeObject): string | undefined {
  const source = isRecord(spec) && isRecord(spec["source"]) ? spec["source"] : {};
  const url = isRecord(source["git"]) ? source["git"]["url"] : source["url"];
  return typeof url === "string" ? url : undefined;
}

function commentStrategy({ metadata, spec }: KubeObject): unknown {
  const settings = isRecord(spec) ? spec["repository-settings"] : undefined;
  const given = isRecord(settings) ? settings["comment-strategy"] : undefined;
  return given ?? metadata.annotations?.[promotionAnnotations.commentStrategy];
}

/** Whether two addresses are of one repository. */
export function isSameRepository(one: string, other: string): boolean {
  return normalise(one) === normalise(other);
}

/** Forges take names of owners and repositories in any case, with or without `.git`. */
function normalise(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) return address;
  return `${url.host}${url.pathname.replace(/\/+$/, "").replace(/\.git$/, "")}`.toLowerCase();
}

function ownerOf(address: string): string {
  return normalise(address).split("/").slice(0, -1).join("/");
}
