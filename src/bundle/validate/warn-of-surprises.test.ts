import { describe, expect, test } from "vitest";
import { openBundleSource } from "../source/open-bundle-source.ts";
import { sampleTree } from "../source/sample-tree.fixture.ts";
import { BundleValidator } from "./bundle-validator.ts";
import { reportFindings } from "./report-findings.ts";

const { signal } = new AbortController();

/** What validation says of an environment file that ends so; `what` and `next` in one line. */
async function warningsOf(end: string): Promise<{ errors: string[]; warnings: string[] }> {
  const start = "$schema: /app-sre/environment-1.yml\nname: prod\n";
  await using tree = await sampleTree({ "data/prod.yml": `${start}${end}` });
  const reading = await openBundleSource(tree.path).read(signal);
  const { errors, warnings } = await reportFindings(reading, new BundleValidator().validate(reading.bundle), signal);
  const say = ({ where, what, next }: (typeof errors)[number]) =>
    `${where.replace(tree.path, "")}: ${what}${next === undefined ? "" : `; ${next}`}`;
  return { errors: errors.map(say), warnings: warnings.map(say) };
}

describe("a value without quotes whose type may surprise is a warning", () => {
  test.each([
    {
      reason: "a text that others read as a number",
      written: "1234e56",
      says: 'parameters.TAG: 1234e56 is a text here, but not for kubectl and Helm; quote it: "1234e56"',
    },
    {
      reason: "a text that others read as a boolean",
      written: "y",
      says: 'parameters.TAG: y is a text here, but not for kubectl and Helm; quote it: "y"',
    },
    {
      reason: "a date",
      written: "2020-01-01",
      says: `parameters.TAG: 2020-01-01 is a date, which qontract's bundler refuses; quote it: "2020-01-01"`,
    },
    {
      reason: "a version that is a number",
      written: "1.10",
      says: 'parameters.TAG: 1.10 is read as the number 1.1; quote it: "1.10", if it is a text',
    },
    {
      reason: "an octal number",
      written: "0123456",
      says: 'parameters.TAG: 0123456 is read as the number 42798; quote it: "0123456", if it is a text',
    },
    {
      reason: "minutes and seconds",
      written: "1:30",
      says: 'parameters.TAG: 1:30 is read as the number 90; quote it: "1:30", if it is a text',
    },
    {
      reason: "a boolean in other words",
      written: "no",
      says: 'parameters.TAG: no is read as false; quote it: "no", if it is a text',
    },
  ])("$reason ($written)", async ({ written, says }) => {
    expect(await warningsOf(`parameters:\n  TAG: ${written}\n`)).toEqual({
      errors: [],
      warnings: [`/data/prod.yml:4:3: ${says}`],
    });
  });

  test.each(["12", "1.5", "true", "null", '"1e3"', "'2020-01-01'", "abc", "v1.10", "-7"])(
    "a value that everyone reads alike is none: %s",
    async (written) => {
      expect(await warningsOf(`parameters:\n  TAG: ${written}\n`)).toEqual({ errors: [], warnings: [] });
    },
  );

  test("a key that comes twice is a warning at the second one", async () => {
    expect((await warningsOf("description: a\ndescription: b\n")).warnings).toEqual([
      "/data/prod.yml:4:1: description comes twice, and the last one counts; remove or rename one of them",
    ]);
  });
});

test("where the schema wants a text, a number is an error that shows the text as it is written", async () => {
  expect(await warningsOf("description: 1.10\n")).toEqual({
    errors: ['/data/prod.yml:3:1: description: expected a string, got 1.1; quote it: "1.10"'],
    warnings: [],
  });
});
