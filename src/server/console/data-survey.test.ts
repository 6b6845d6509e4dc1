import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openBundleSource } from "#bundle";
import { DataQuery } from "./data-api.ts";
import { integrationFile, sampleDataFiles } from "./console-data.fixture.ts";
import { DataSurvey, describeFile, queryFiles } from "./data-survey.ts";

const { signal } = new AbortController();

async function folderWith(files: Readonly<Record<string, string>>) {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-data-"));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory.path, file)), { recursive: true });
    await writeFile(join(directory.path, file), text);
  }
  return directory;
}

const files = {
  ...sampleDataFiles(["shop"]),
  "data/integrations/feed.yml": integrationFile("feed", "shop"),
  "data/integrations/lost.yml": integrationFile("lost", "nowhere"),
  "data/integrations/torn.yml": "$schema: /app-sre/integration-1.yml\nname: torn\nmanaged: [",
};

test("files with errors come first, also those that cannot be read", async () => {
  await using folder = await folderWith(files);
  const survey = await new DataSurvey(openBundleSource(folder.path)).read(signal);
  const { rows, total, schemas } = queryFiles(survey, DataQuery.parse({ limit: "3" }));
  expect(rows.map(({ path, errors }) => [path, errors > 0])).toEqual([
    ["/integrations/lost.yml", true],
    ["/integrations/torn.yml", true],
    ["/clusters/c1.yml", false],
  ]);
  expect([total, schemas["/app-sre/integration-1.yml"]]).toEqual([8, 3]);
  const found = queryFiles(survey, DataQuery.parse({ search: "FEED" }));
  expect(found.rows.map(({ path }) => path)).toEqual(["/integrations/feed.yml"]);
});

test("a file has what it refers to with the line, what refers to it, and what is wrong with the line", async () => {
  await using folder = await folderWith(files);
  const survey = await new DataSurvey(openBundleSource(folder.path)).read(signal);
  const namespace = await describeFile(survey, "data", "/namespaces/shop.yml", signal);
  expect(namespace?.links.map(({ path, line, exists }) => [path, line, exists])).toEqual([
    ["/environments/test.yml", 3, true],
    ["/clusters/c1.yml", 4, true],
  ]);
  expect(namespace?.backLinks.map(({ path, at }) => [path, at])).toEqual([
    ["/integrations/feed.yml", "managed[0].namespace"],
  ]);
  const lost = await describeFile(survey, "data", "/integrations/lost.yml", signal);
  expect(lost?.links.map(({ exists }) => exists)).toEqual([false]);
  expect(lost?.problems).toEqual([
    expect.objectContaining({ severity: "error", line: expect.any(Number), what: expect.stringContaining("nowhere") }),
  ]);
  const torn = await describeFile(survey, "data", "/integrations/torn.yml", signal);
  expect(torn?.problems).toHaveLength(1);
  expect(torn?.text).toContain("managed: [");
  expect(await describeFile(survey, "data", "/../secret", signal)).toBeUndefined();
});

test("a change of the data is seen at the next question", async () => {
  await using folder = await folderWith(files);
  const data = new DataSurvey(openBundleSource(folder.path));
  await data.read(signal);
  await writeFile(join(folder.path, "data/integrations/torn.yml"), integrationFile("torn", "shop"));
  const { rows } = await data.read(signal);
  expect(rows.filter(({ errors }) => errors > 0).map(({ path }) => path)).toEqual(["/integrations/lost.yml"]);
});
