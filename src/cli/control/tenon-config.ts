import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { type FieldPath, formatFieldPath, InputError, nearestName, parseDuration } from "#base";
import { locateInYaml, parseYaml } from "#yaml";
import { isServerAddress } from "#bundle";

const text = z.string().min(1);
const texts = z.array(text);
const Reach = z.union([z.strictObject({ context: text }), z.strictObject({ inCluster: z.literal(true) })]);
/** Each with what the reference says of it. */
export const Settings = z.strictObject({
  data: text.describe(
    "The data, as `--data` has it: a directory, a bundle file, `REPOSITORY#REF` or the URL of a server.",
  ),
  schemas: text.describe("Where schemas are, if not beside the data."),
  chart: text.describe("The chart that integrations are rendered with; default: Tenon's own."),
  environment: text.describe("Only what runs in this environment."),
  upstream: text.describe("Only integrations of this upstream."),
  image: text.describe("The image of integrations."),
  imageTagFromRef: z
    .record(text, text)
    .describe("For an environment, the branch or tag of the upstream whose image is used: `stage: main`."),
  only: z
    .strictObject({ integrations: texts, clusters: texts })
    .partial()
    .describe("A part of the data: lists `integrations` and `clusters`. What is not in it is never deleted."),
  side: z.enum(["internal", "external"]).describe("Only clusters that are `internal`, or only those that are not."),
  kubeconfig: text.describe("The kubeconfig that contexts are in."),
  context: text.describe("One context for all clusters of the data, and for Tenon's own namespace."),
  namespace: text.describe("Tenon's own namespace: the memory of managed namespaces, and Leases."),
  clusters: z
    .record(text, Reach)
    .describe("For a cluster of the data, `context: NAME` or `inCluster: true`, before what its file says."),
  tokenStore: text.describe(
    "Where the tokens of clusters are: `file:DIRECTORY`, `environment`, `kubernetes:NAMESPACE` or `vault:URL`.",
  ),
  stateFile: text.describe("Remember managed namespaces in this file, and not in a ConfigMap."),
  takeOverFrom: texts.describe("Owners whose objects are taken over."),
  managedKinds: texts.describe("The kinds that are looked after, and no others; default: those of the chart."),
  maxDeletions: z
    .number()
    .int()
    .nonnegative()
    .describe("More deletions than this in one plan are held back; default 50."),
  interval: text
    .refine((value) => (parseDuration(value) ?? 0) > 0, "write a duration like 5m")
    .describe("How often `tenon run` looks at the data where nobody tells of changes; default 10m."),
});

const Config = Settings.partial();

/** What `tenon.yaml` says; flags and variables of the environment come before it. */
export type TenonConfig = z.infer<typeof Config>;

/** Where a setting may name a file: from the folder of `tenon.yaml`, wherever the command is called from. */
const paths = ["chart", "schemas", "kubeconfig", "stateFile"] as const;

/** Reads the file of `--config`, or `tenon.yaml` here if there is one. All that is wrong with it is told at once, by its lines. */
export async function readTenonConfig(given: string | undefined): Promise<TenonConfig> {
  const file = given ?? "tenon.yaml";
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (cause) {
    const isAbsent = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    if (isAbsent && given === undefined) return {};
    throw new InputError("the configuration cannot be read", {
      where: file,
      next: "check the path of --config",
      cause,
    });
  }
  const read = Config.safeParse(parseYaml(content, { file }) ?? {});
  if (!read.success) throw explain(read.error, content, file);
  const folder = dirname(resolve(file));
  const config: TenonConfig = { ...read.data };
  for (const key of paths) if (config[key] !== undefined) config[key] = resolve(folder, config[key]);
  if (config.data !== undefined) config.data = locationFrom(folder, config.data);
  if (config.tokenStore?.startsWith("file:")) {
    config.tokenStore = `file:${resolve(folder, config.tokenStore.slice("file:".length))}`;
  }
  return config;
}

/** A directory, a bundle file, or a repository before `#`; addresses stay as they are. */
function locationFrom(folder: string, location: string): string {
  if (isServerAddress(location) || /^([a-z+]+:\/\/|[^/]+@[^/]+:)/.test(location)) return location;
  const [place = "", ...ref] = location.split("#");
  return [resolve(folder, place), ...ref].join("#");
}

function explain(error: z.ZodError, content: string, file: string): InputError {
  const complaints = error.issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    if (issue.code !== "unrecognized_keys") return [complaint(path, issue.message)];
    return issue.keys.map((key) => complaint([...path, key], unknownKey(path, key)));
  });
  function complaint(path: FieldPath, message: string): string {
    const place = locateInYaml(content, path);
    const where = place ? `${file}:${place.line}:${place.column}` : file;
    return `${where}: ${path.length === 0 ? "" : `${formatFieldPath(path)}: `}${message}`;
  }
  return new InputError(complaints.join("\n"), { next: "the settings are in docs/reference/configuration.md" });
}

function unknownKey(path: FieldPath, key: string): string {
  const known = path.length === 0 ? Object.keys(Settings.shape) : ["integrations", "clusters", "context", "inCluster"];
  const near = nearestName(key, known);
  return `there is no such setting${near === undefined ? "" : `; did you mean ${near}?`}`;
}
