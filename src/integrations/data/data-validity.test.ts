import { describe, expect, test } from "vitest";
import type { JsonObject } from "#base";
import { computeDesired } from "../desired/compute-desired.ts";
import {
  cluster,
  environment,
  integration,
  managed,
  namespace,
  sampleData,
  sampleOptions,
  validatedData,
} from "../desired/sample-world.fixture.ts";

const { signal } = new AbortController();
const good = integration("good", [managed("prod")]);
const bad = integration("bad", [managed("test")]);

async function judge(files: Readonly<Record<string, JsonObject>>, upstream?: string) {
  const data = validatedData({ "/integrations/good.yml": good, ...files });
  const { errors, declared, names, warnings } = await computeDesired(data, sampleOptions({ upstream }), signal);
  return {
    errors: errors.map(({ integration: name, what, where }) => ({ name, what, where })),
    declared: [...declared],
    names: [...names],
    warnings: warnings.map(({ what }) => what),
    isFileInvalid: errors.every((error) => error.isFileInvalid === true),
  };
}

function renamed(file: JsonObject, from: string, to: string): JsonObject {
  return Object.fromEntries(Object.entries(file).map(([key, value]) => [key === from ? to : key, value]));
}

function without(file: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(file).filter(([other]) => other !== key));
}

describe("an integration whose own file is invalid is an error, and others run", () => {
  test.each<{ readonly reason: string; readonly file: JsonObject; readonly says: RegExp }>([
    { reason: "an unknown key", file: renamed(bad, "managed", "manged"), says: /manged/ },
    { reason: "a misspelt $schema", file: { ...bad, $schema: "/app-sre/integraton-1.yml" }, says: /integraton-1/ },
    { reason: "no $schema", file: without(bad, "$schema"), says: /no \$schema/ },
    { reason: "no $schema, and no targets", file: { name: "bad" }, says: /no \$schema/ },
    { reason: "a $schema of another folder", file: { ...bad, $schema: "/integration-1.yml" }, says: /integration-1/ },
    { reason: "the $schema of something else", file: { ...bad, $schema: "/app-sre/app-1.yml" }, says: /managed/ },
    {
      reason: "a reference to a file that does not exist",
      file: integration("bad", [managed("/namespaces/tset.yml")]),
      says: /\/namespaces\/tset\.yml does not exist/,
    },
    { reason: "a value of the wrong type", file: { ...bad, description: 5 }, says: /description/ },
    {
      reason: "a value of the wrong type in one of two targets",
      file: integration("bad", [managed("test"), managed("prod", { cache: "yes" })]),
      says: /cache/,
    },
  ])("A-7: an integration whose own file is invalid is an error, and others run: $reason", async ({ file, says }) => {
    const { errors, declared, names, isFileInvalid } = await judge({ "/integrations/bad.yml": file });
    expect(new Set(errors.map(({ name, where }) => `${name} ${where}`))).toEqual(
      new Set(["bad /integrations/bad.yml"]),
    );
    expect(errors.map(({ what }) => what).join()).toMatch(says);
    expect({ declared, names, isFileInvalid }).toEqual({ declared: ["good"], names: ["good"], isFileInvalid: true });
  });

  test("an integration without a name has the name of its file", async () => {
    const { errors, declared } = await judge({ "/integrations/bad.yml": renamed(bad, "name", "nmae") });
    expect(new Set(errors.map(({ name }) => name))).toEqual(new Set(["/integrations/bad.yml"]));
    expect(declared).toEqual(["good"]);
  });
});

describe("a file that an integration refers to is invalid", () => {
  test.each<{ readonly reason: string; readonly path: string; readonly file: JsonObject }>([
    {
      reason: "its namespace",
      path: "/namespaces/test.yml",
      file: { ...namespace("tools", "test", "c1"), colour: "red" },
    },
    {
      reason: "its namespace, without a $schema",
      path: "/namespaces/test.yml",
      file: without(namespace("tools", "test", "c1"), "$schema"),
    },
    { reason: "the cluster", path: "/clusters/c1.yml", file: { ...cluster("c1"), colour: "red" } },
    { reason: "the environment", path: "/environments/test.yml", file: { ...environment("test"), colour: "red" } },
  ])("$reason: only that integration is an error", async ({ path, file }) => {
    const { errors, names } = await judge({ "/integrations/bad.yml": bad, [path]: file });
    expect(errors).toMatchObject([{ name: "bad", where: path }]);
    expect(errors[0]?.what).toMatch(/(colour|no \$schema).*\(in a file that bad refers to\)/);
    expect(names).toEqual(["good"]);
  });

  test("two clusters of one name: integrations on either of them are errors", async () => {
    const { errors, names } = await judge({
      "/integrations/bad.yml": bad,
      "/clusters/copy.yml": cluster("c1", { serverUrl: "https://other.example" }),
      "/namespaces/copy.yml": namespace("copy", "test", "copy"),
      "/integrations/also.yml": integration("also", [managed("/namespaces/copy.yml")]),
    });
    expect(errors.map(({ name }) => name).toSorted()).toEqual(["also", "bad"]);
    expect(names).toEqual(["good"]);
  });

  test("an invalid file that is not an integration, and to which no file refers, changes nothing", async () => {
    const app = { $schema: "/app-sre/app-1.yml", name: "an-app", colour: "red" };
    const unknown = { $schema: "/dependencies/thing-1.yml", name: "a-thing" };
    const { errors, names } = await judge({ "/apps/app.yml": app, "/things/thing.yml": unknown });
    expect({ errors, names }).toEqual({ errors: [], names: ["good"] });
  });
});

describe("what shards are made of", () => {
  const accounts = "/aws/account-1.yml";
  const sharded = integration("sharded", [managed("test", {}, { strategy: "per-aws-account" })], {
    shardArguments: ["--account-name"],
  });

  test.each<{ readonly reason: string; readonly file: JsonObject }>([
    { reason: "an unknown key", file: { $schema: accounts, name: "two", colour: "red" } },
    { reason: "a misspelt $schema", file: { $schema: "/aws/acount-1.yml", name: "two" } },
    { reason: "no $schema", file: { name: "two" } },
  ])("an invalid file might be one: an error of what is sharded by them ($reason)", async ({ file }) => {
    const { errors, names } = await judge({
      "/integrations/sharded.yml": sharded,
      "/aws/one.yml": { $schema: accounts, name: "one", uid: "1" },
      "/aws/two.yml": file,
    });
    const ofShards = errors.filter(({ name }) => name === "sharded");
    expect(ofShards.map(({ what }) => what).join()).toMatch(/cannot read the AWS accounts: \/aws\/two\.yml: /);
    expect(names).toEqual(["sharded", "good"].toSorted());
  });
});

test("an invalid file of another upstream is not an error of this run, and one that names none is", async () => {
  const upstream = "https://example.com/ours";
  const files = {
    "/integrations/ours.yml": integration("ours", [managed()], { upstream }),
    "/integrations/theirs.yml": { ...bad, upstream: "https://example.com/theirs", colour: "red" },
    "/integrations/bad.yml": { ...bad, name: "unknown", upstraem: upstream },
  };
  expect((await judge(files, upstream)).errors.map(({ name }) => name)).toEqual(["unknown"]);
});

test("warnings of the validation are warnings of the run, once", async () => {
  const spec = { cron: "0 * * * *", sleepDurationSecs: "5" };
  const files = { "/integrations/bad.yml": integration("bad", [managed("test", spec)]) };
  const { warnings, errors } = await judge(files);
  expect(errors).toEqual([]);
  const served = await computeDesired(sampleData(files), sampleOptions(), signal);
  expect(warnings).toEqual(served.warnings.map(({ what }) => what));
});

test("A-31: data of a server has no files, and is not validated", async () => {
  const served = sampleData({ "/integrations/bad.yml": { ...bad, colour: "red" } });
  const { errors, names } = await computeDesired(served, sampleOptions(), signal);
  expect({ errors, names: [...names] }).toEqual({ errors: [], names: ["bad"] });
});
