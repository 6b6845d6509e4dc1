import { pacNames } from "../kinds/promotion-names.ts";
import type { ResolverParameter } from "./test-scenario.ts";
import { pacValue, type TestedSnapshot } from "./tested-snapshot.ts";

/** Where a pull request comes from, for a test that is in the repository that it changes. */
export interface SelfTestSource {
  readonly targetUrl: string;
  readonly targetBranch: string;
  readonly sourceUrl: string;
  readonly head: string;
}

/** Undefined for a push, and where the build did not say enough. */
export function selfTestSource(snapshot: TestedSnapshot): SelfTestSource | undefined {
  if (snapshot.isPush) return undefined;
  const targetUrl = pacValue(snapshot, pacNames.repositoryUrl);
  const targetBranch = pacValue(snapshot, pacNames.branch);
  const head = pacValue(snapshot, pacNames.sha);
  if (targetUrl === undefined || targetBranch === undefined || head === undefined) return undefined;
  return { targetUrl, targetBranch, sourceUrl: pacValue(snapshot, pacNames.sourceRepositoryUrl) ?? targetUrl, head };
}

/**
 * A pull request that changes the pipeline of a test is tested by the changed one: a git resolver that names the base branch of
 * the pull request gets its head instead.
 */
export function followPullRequest(
  resolver: string,
  parameters: readonly ResolverParameter[],
  source: SelfTestSource | undefined,
): readonly ResolverParameter[] {
  const valueOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.value;
  if (!source || resolver !== "git") return parameters;
  const [url, revision] = [valueOf("url"), valueOf("revision")];
  if (url === undefined || withSuffix(url) !== withSuffix(source.targetUrl)) return parameters;
  if (revision !== source.targetBranch.replace(/^refs\/heads\//, "")) return parameters;
  return parameters.map(({ name, value }) => {
    if (name === "url") return { name, value: withSuffix(source.sourceUrl) };
    return { name, value: name === "revision" ? source.head : value };
  });
}

function withSuffix(url: string): string {
  const trimmed = url.replace(/\/$/, "");
  return trimmed.endsWith(".git") ? trimmed : `${trimmed}.git`;
}
