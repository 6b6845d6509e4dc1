import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readDataServerSettings, readBundleTtl } from "./data-server-settings.ts";
import { appBundleFile } from "./data-server.fixture.ts";

let folder: string;
const { signal } = new AbortController();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-settings-"));
  for (const name of ["a", "b", "c"]) {
    await writeFile(join(folder, `${name}.json`), appBundleFile({ data: { "/x.yml": {} }, commit: name }));
  }
});
afterAll(() => rm(folder, { recursive: true }));

const at = (name: string): string => join(folder, `${name}.json`);
const commitOf = async (source: { load(signal: AbortSignal): Promise<{ gitCommit?: string }> } | undefined) =>
  (await source?.load(signal))?.gitCommit;

describe("A-20: a location, LOAD_METHOD=fs or INIT_BUNDLES define what is served; S3 is an error", () => {
  test("a location wins over the environment variables", async () => {
    const settings = readDataServerSettings(at("a"), { LOAD_METHOD: "fs", DATAFILES_FILE: at("b") });
    expect(await commitOf(settings.source)).toBe("a");
    expect(settings.initial).toEqual([]);
  });

  test("LOAD_METHOD=fs reads DATAFILES_FILE", async () => {
    expect(
      await commitOf(readDataServerSettings(undefined, { LOAD_METHOD: "fs", DATAFILES_FILE: at("b") }).source),
    ).toBe("b");
  });

  test("INIT_BUNDLES are loaded in order, and a reload reads DATAFILES_FILE", async () => {
    const env = { INIT_BUNDLES: `fs://${at("a")}, fs://${at("b")}`, LOAD_METHOD: "fs", DATAFILES_FILE: at("c") };
    const { initial, source } = readDataServerSettings(undefined, env);
    expect([await commitOf(initial[0]), await commitOf(initial[1]), await commitOf(source)]).toEqual(["a", "b", "c"]);
  });

  test("with INIT_BUNDLES alone, a reload reads the last of them", async () => {
    const { initial, source } = readDataServerSettings(undefined, { INIT_BUNDLES: `fs://${at("a")},fs://${at("b")}` });
    expect(source).toBe(initial[1]);
  });

  test.each([
    { env: {}, says: /no data to serve.*INIT_BUNDLES/, reason: "neither a location nor variables" },
    { env: { LOAD_METHOD: "s3" }, says: /LOAD_METHOD: Tenon does not load from S3.*aws s3 cp/, reason: "S3" },
    { env: { INIT_BUNDLES: "s3://key" }, says: /s3:\/\/key: Tenon does not load from S3/, reason: "S3 in a list" },
    {
      env: { INIT_BUNDLES: "bundle.json" },
      says: /"bundle.json" is not a valid bundle location.*fs:\/\//,
      reason: "no scheme",
    },
    { env: { LOAD_METHOD: "ftp" }, says: /"ftp" is not a valid load method/, reason: "another method" },
    { env: { LOAD_METHOD: "fs" }, says: /DATAFILES_FILE: not set/, reason: "no file" },
    {
      env: { LOAD_METHOD: "fs", DATAFILES_FILE: "/gone.json" },
      says: /file or directory not found/,
      reason: "a file that does not exist",
    },
  ])("readDataServerSettings rejects $reason", ({ env, says }) => {
    expect(() => readDataServerSettings(undefined, env)).toThrow(says);
  });
});

describe("A-20: BUNDLE_SHA_TTL is in milliseconds, or a duration", () => {
  test.each([
    { text: undefined, ms: 1_200_000 },
    { text: "", ms: 1_200_000 },
    { text: "5000", ms: 5_000 },
    { text: "20m", ms: 1_200_000 },
    { text: "1h30m", ms: 5_400_000 },
  ])("$text is $ms ms", ({ text, ms }) => {
    expect(readBundleTtl(text)).toBe(ms);
  });

  test.each(["soon", "20 minutes", "-5", "0", "0s", "1e3", "NaN", "9".repeat(40)])("rejects %j", (text) => {
    expect(() => readBundleTtl(text)).toThrow(/BUNDLE_SHA_TTL: .* is not a valid duration; use a value like 20m/);
  });
});
