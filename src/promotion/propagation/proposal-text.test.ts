import { describe, expect, test } from "vitest";
import type { ImageOrigin } from "./image-origin.ts";
import { type ProposalContent, readMarker, writeCommitMessage, writePullRequest } from "./proposal-text.ts";

const image = "quay.io/acme/web:released";
const digest = (hex: string) => `sha256:${hex.repeat(64)}`;
const commit = (hex: string) => hex.repeat(40);
const content = (change: Partial<ProposalContent> = {}): ProposalContent => ({
  propagation: "shop/web",
  stage: "production",
  digests: { [image]: digest("b") },
  components: { [image]: "web" },
  files: [],
  unreferenced: [],
  superseded: [],
  isRollback: false,
  releases: [],
  origins: {},
  ...change,
});
const source = (repository: string, revision: string, isOnGitlab = false) => ({ repository, revision, isOnGitlab });
const repository = "https://git.example/acme/web.git";
const times = { lastUpdateTime: "2026-01-02T03:04:05.000Z", details: "" };

describe("the text of a pull request", () => {
  test("has no column for commits and no tests where tags are followed", () => {
    const { body } = writePullRequest(content());
    expect(body).toContain("| component | image | before | after |\n| --- | --- | --- | --- |\n| web |");
    expect(body).not.toContain("tests");
    expect(readMarker(body)).toEqual({ [image]: digest("b") });
  });

  const page = "https://git.example/acme/web";
  test.each<{ reason: string; origin: ImageOrigin; cell: string }>([
    {
      reason: "the commits between two images of one repository",
      origin: { before: source(repository, commit("a")), after: source(repository, commit("b")) },
      cell: `[\`git.example/acme/web@aaaaaaa...bbbbbbb\`](<${page}/compare/${commit("a")}...${commit("b")}>)`,
    },
    {
      reason: "on GitLab at its own path",
      origin: { before: source(repository, commit("a"), true), after: source(repository, commit("b"), true) },
      cell: `[\`git.example/acme/web@aaaaaaa...bbbbbbb\`](<${page}/-/compare/${commit("a")}...${commit("b")}>)`,
    },
    {
      reason: "the new commit alone if the old one is not known",
      origin: { after: source(repository, commit("b")) },
      cell: `[\`git.example/acme/web@bbbbbbb\`](<${page}/commit/${commit("b")}>)`,
    },
    {
      reason: "the new commit alone if the code has moved",
      origin: { before: source("https://git.example/acme/old", commit("a")), after: source(repository, commit("b")) },
      cell: `[\`git.example/acme/web@bbbbbbb\`](<${page}/commit/${commit("b")}>)`,
    },
    {
      reason: "no link to a revision that is not a commit",
      origin: { after: source(repository, "main`|@alice") },
      cell: "`https://git.example/acme/web.git@main @alice`",
    },
    {
      reason: "no link to an address with a password",
      origin: { after: source("https://a:b@git.example/acme/web", commit("b")) },
      cell: "`https://git.example/acme/web@bbbbbbb`",
    },
    {
      reason: "no link to what is not a page",
      origin: { after: source("javascript:alert(1)", commit("b")) },
      cell: "`javascript:alert(1)@bbbbbbb`",
    },
    {
      reason: "no link to a path that could end it",
      origin: { after: source("https://git.example/a>) @alice | <b>", commit("b")) },
      cell: "`https://git.example/a>) @alice <b>@bbbbbbb`",
    },
  ])("shows $reason", ({ origin, cell }) => {
    const { body } = writePullRequest(content({ origins: { [image]: origin } }));
    expect(body).toContain("| component | image | before | after | source |\n");
    expect(body).toContain(`\`${digest("b")}\` | ${cell} |\n`);
  });

  test("names the tests of each Snapshot, those that did not pass first, and of many the first 20", () => {
    const tests = [
      { scenario: "e2e", status: "TestPassed" as const, ...times },
      { scenario: "scan", status: "TestFail" as const, isOptionalScenario: true, ...times },
    ];
    const many = Array.from({ length: 25 }, (_, index) => ({
      ...times,
      scenario: `s${index}`,
      status: "TestPassed" as const,
    }));
    const releases = [
      { name: "r1", snapshot: "s1", tests },
      { name: "r2", snapshot: "s2", tests: many },
      { name: "r3", snapshot: "s3", tests: [] },
      { name: "r4", snapshot: "s4", tests: undefined },
    ];
    const { body } = writePullRequest(content({ releases }));
    expect(body).toContain("- Release `r1` of Snapshot `s1`: `scan` (optional) has failed, `e2e` has passed\n");
    expect(body).toContain("`s19` has passed, and 5 more\n");
    expect(body).toContain("- Release `r3` of Snapshot `s3`, which has no tests\n- Release `r4` of Snapshot `s4`\n");
    expect(writeCommitMessage(content({ releases })), "the commit is the same whatever tests say later").not.toContain(
      "scan",
    );
  });

  test("is cut before a forge refuses it, and keeps the digests", () => {
    const digests = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`quay.io/acme/${"x".repeat(100)}-${index}:released`, digest("b")]),
    );
    const { body } = writePullRequest(content({ digests, components: {}, unreferenced: Object.keys(digests) }));
    expect(body).toContain("And 100 more.");
    expect(Object.keys(readMarker(body) ?? {})).toHaveLength(200);
    const huge = "x".repeat(2_000);
    const releases = Array.from({ length: 50 }, (_, index) => ({
      name: `r${index}`,
      snapshot: huge,
      tests: Array.from({ length: 20 }, () => ({ ...times, scenario: huge, status: "TestPassed" as const })),
    }));
    const long = writePullRequest(content({ releases })).body;
    expect(long.length).toBeLessThan(61_000);
    expect(readMarker(long)).toEqual({ [image]: digest("b") });
  });
});
