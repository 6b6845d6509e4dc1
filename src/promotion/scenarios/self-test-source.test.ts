import { describe, expect, test } from "vitest";
import { copiedPacPrefix } from "../kinds/promotion-names.ts";
import { pullRequestLabels, sampleSnapshot } from "./sample-snapshots.fixture.ts";
import { followPullRequest, selfTestSource } from "./self-test-source.ts";

const head = "c0ffee".repeat(6);
const annotations = {
  [`${copiedPacPrefix}repo-url`]: "https://git.example/acme/web",
  [`${copiedPacPrefix}branch`]: "main",
  [`${copiedPacPrefix}source-repo-url`]: "https://git.example/bob/web",
  [`${copiedPacPrefix}sha`]: head,
};
const fork = selfTestSource(sampleSnapshot({ labels: pullRequestLabels, annotations }));
const params = (url: string, revision: string) => [
  { name: "url", value: url },
  { name: "revision", value: revision },
  { name: "pathInRepo", value: "test.yaml" },
];

describe("P21: a pull request tests its own test", () => {
  test.for([
    {
      reason: "the component's repository at its base branch",
      url: "https://git.example/acme/web",
      revision: "main",
      follows: true,
    },
    { reason: "the same with .git", url: "https://git.example/acme/web.git", revision: "main", follows: true },
    { reason: "another revision", url: "https://git.example/acme/web", revision: "v2", follows: false },
    { reason: "another repository", url: "https://git.example/acme/tests", revision: "main", follows: false },
  ])("$reason: $follows", ({ url, revision, follows }) => {
    const given = params(url, revision);
    const expected = follows ? params("https://git.example/bob/web.git", head) : given;
    expect(followPullRequest("git", given, fork)).toEqual(expected);
    expect(given).toEqual(params(url, revision));
  });

  test("a push, a build that did not say where it came from, and another resolver stay as they are", () => {
    const given = params("https://git.example/acme/web", "main");
    const pushed = selfTestSource(sampleSnapshot({ annotations }));
    expect(pushed).toBeUndefined();
    expect(selfTestSource(sampleSnapshot({ labels: pullRequestLabels }))).toBeUndefined();
    expect(followPullRequest("git", given, undefined)).toBe(given);
    expect(followPullRequest("cluster", given, fork)).toBe(given);
  });

  test("without a fork the head is in the same repository", () => {
    const { [`${copiedPacPrefix}source-repo-url`]: _, ...own } = annotations;
    const source = selfTestSource(sampleSnapshot({ labels: pullRequestLabels, annotations: own }));
    const followed = followPullRequest("git", params("https://git.example/acme/web", "main"), source);
    expect(followed).toEqual(params("https://git.example/acme/web.git", head));
  });
});
