import { InputError, parseDuration } from "#base";
import { type BundleSource, openBundleSource } from "#bundle";

export interface DataServerSettings {
  readonly initial: readonly BundleSource[];
  readonly source: BundleSource;
  readonly ttlMs: number;
}

const defaultTtlMs = 20 * 60_000;
const sourceVariables = "LOAD_METHOD=fs with DATAFILES_FILE, or INIT_BUNDLES";

/**
 * What a server loads: the given location, else what the variables of qontract-server name. A reload reads the location,
 * or `DATAFILES_FILE`, or the last of `INIT_BUNDLES`.
 */
export function readDataServerSettings(
  location: string | undefined,
  env: NodeJS.ProcessEnv,
  options: { readonly schemas?: string } = {},
): DataServerSettings {
  const open = (source: string): BundleSource => openBundleSource(source, { ...options, env });
  const ttlMs = readBundleTtl(env["BUNDLE_SHA_TTL"]);
  if (location !== undefined) return { initial: [], source: open(location), ttlMs };
  const initial = readInitialBundles(env["INIT_BUNDLES"]).map(open);
  const file = readDatafilesFile(env);
  const source = file === undefined ? initial.at(-1) : open(file);
  if (source !== undefined) return { initial, source, ttlMs };
  throw new InputError("no data to serve", {
    next: `give a directory, a bundle file or a git repository, or set ${sourceVariables}`,
  });
}

/** Milliseconds, as for qontract-server, or a duration. */
export function readBundleTtl(text: string | undefined): number {
  if (text === undefined || text === "") return defaultTtlMs;
  const ttlMs = /^\d+$/.test(text) ? Number(text) : parseDuration(text);
  if (ttlMs !== undefined && ttlMs > 0 && Number.isSafeInteger(ttlMs)) return ttlMs;
  throw new InputError(`${JSON.stringify(text)} is not a valid duration`, {
    where: "BUNDLE_SHA_TTL",
    next: "use a value like 20m or 1h30m, or milliseconds",
  });
}

function readInitialBundles(text: string | undefined): readonly string[] {
  const entries = (text ?? "").split(",").map((entry) => entry.trim());
  return entries
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [, scheme, path] = /^(\w+):\/\/(.+)$/.exec(entry) ?? [];
      if (scheme === "fs" && path !== undefined) return path;
      if (scheme === "s3") throw noS3(`INIT_BUNDLES, ${entry}`);
      throw new InputError(`${JSON.stringify(entry)} is not a valid bundle location`, {
        where: "INIT_BUNDLES",
        next: "use a list like fs://first.json,fs://second.json",
      });
    });
}

function readDatafilesFile(env: NodeJS.ProcessEnv): string | undefined {
  const method = env["LOAD_METHOD"] || undefined;
  if (method === undefined) return undefined;
  if (method === "s3") throw noS3("LOAD_METHOD");
  if (method !== "fs") {
    throw new InputError(`${JSON.stringify(method)} is not a valid load method`, {
      where: "LOAD_METHOD",
      next: `set ${sourceVariables}`,
    });
  }
  const file = env["DATAFILES_FILE"];
  if (file) return file;
  throw new InputError("not set", {
    where: "DATAFILES_FILE",
    next: "set it to the path of a bundle file, or unset LOAD_METHOD",
  });
}

function noS3(where: string): InputError {
  return new InputError("Tenon does not load from S3", {
    where,
    next: "download the bundle, for example with `aws s3 cp`, and serve the file; POST /reload reads it again",
  });
}
