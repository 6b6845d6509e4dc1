import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleRepository } from "../../git/sample-repository.fixture.ts";
import { surveyReferences } from "./survey-references.ts";

const { signal } = new AbortController();
const digest = `sha256:${"1".repeat(64)}`;
const web = { repository: "reg.local:5000/acme/web", tag: "released", digest };
const api = { repository: "reg.local:5000/acme/api", tag: "released", digest };

test("surveyReferences edits the files below its paths, and names images that no file refers to (P46, P50)", async () => {
  await using repository = await sampleRepository();
  const reference = "image: reg.local:5000/acme/web:released\n";
  await symlink("app.yaml", join(repository.path, "link.yaml"));
  await repository.commit({
    "app.yaml": reference,
    "apps/stage/app.yaml": reference,
    "apps/stage/done.yaml": `image: reg.local:5000/acme/web:released@${digest}\n`,
    "apps/stage/readme.md": reference,
    "apps/stage/vendor/app.yaml": reference,
    "apps/production/app.yaml": reference,
    "apps/staged.yaml": reference,
  });
  const cache = join(repository.path, "cache");
  const scope = { base: { repository: repository.path, ref: "main" }, rules: { aliases: {}, patterns: [] } };
  await using stage = await surveyReferences({ ...scope, paths: ["apps/stage"] }, [web, api], cache, signal);
  expect(stage.files.map(({ path, content }) => [path, content?.toString()])).toEqual([
    ["apps/stage/app.yaml", `image: reg.local:5000/acme/web:released@${digest}\n`],
    ["apps/stage/done.yaml", undefined],
  ]);
  expect(stage.wanted).toEqual({ "reg.local:5000/acme/web:released": digest });
  expect(stage.unreferenced).toEqual([api]);
  await using all = await surveyReferences({ ...scope, paths: [] }, [web], cache, signal);
  expect(all.files.map(({ path }) => path)).toEqual([
    "app.yaml",
    "apps/production/app.yaml",
    "apps/stage/app.yaml",
    "apps/stage/done.yaml",
    "apps/staged.yaml",
  ]);
});

test("surveyReferences wants nothing where every reference has its digest", async () => {
  await using repository = await sampleRepository();
  await repository.commit({
    "a.yaml": `{repository: reg.local:5000/acme/web, tag: released, sha: ${"1".repeat(64)}}\n`,
    "b.yaml": "{{ broken\n# reg.local:5000/acme/web\n",
  });
  const base = { repository: repository.path, ref: "main" };
  const scope = { base, paths: [], rules: { aliases: {}, patterns: [] } };
  await using survey = await surveyReferences(scope, [web], join(repository.path, "cache"), signal);
  expect(survey.wanted).toEqual({});
  expect(survey.files.map(({ path, problems }) => [path, problems])).toEqual([
    ["a.yaml", []],
    ["b.yaml", [{ reason: "a template is not edited" }]],
  ]);
});
