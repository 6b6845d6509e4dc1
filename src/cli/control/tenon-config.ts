import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { type FieldPath, formatFieldPath, InputError, nearestName, parseDuration } from "#base";
import { locateInYaml, parseYaml } from "#yaml";
import type { NotificationEvent } from "#integrations";
import { parseJsonPointer } from "#inventory";

const text = z.string().min(1);
const texts = z.array(text);
const duration = text.refine((value) => (parseDuration(value) ?? 0) > 0, "expected a duration such as 5m");
const Reach = z.union([z.strictObject({ context: text }), z.strictObject({ inCluster: z.literal(true) })]);
const pointer = text.refine(
  (value) => parseJsonPointer(value) !== undefined,
  "expected a JSON pointer such as /spec/replicas; a slash within a key is written ~1",
);
const IgnoreDifference = z
  .strictObject({ cluster: text, namespace: text, group: z.string(), kind: text, name: text })
  .extend({ paths: z.array(pointer), managers: texts })
  .partial()
  .refine(({ paths = [], managers = [] }) => paths.length + managers.length > 0, "expected paths or managers");
const From = z.union([z.strictObject({ file: text }), z.strictObject({ variable: text })]);
/** Listed again: to import the room of integrations would make every command start more slowly. */
const events = ["applied", "failed", "heldBack"] as const satisfies readonly NotificationEvent[];
const Notified = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }),
    urlFrom: From,
    secretFrom: From,
    events: z.array(z.enum(events)).min(1),
    format: z.enum(["json", "slack"]),
  })
  .partial()
  .refine(({ url, urlFrom }) => (url === undefined) !== (urlFrom === undefined), "expected either url or urlFrom");
const Impersonated = z
  .strictObject({ usernameClaim: text, usernamePrefix: z.string(), groupsClaim: text, groupsPrefix: z.string() })
  .partial();
const Oidc = z.strictObject({
  issuer: z.url(),
  clientId: text,
  clientSecretFile: text.optional(),
  scopes: texts.optional(),
  impersonate: Impersonated.optional(),
});
const Served = z
  .strictObject({
    host: text,
    port: z.number().int().min(0).max(65_535),
    publicUrl: z.url({ protocol: /^https$/ }),
    readOnly: z.boolean(),
    writable: z.boolean(),
    oidc: Oidc,
  })
  .partial();
/** Where a webhook is, and what it gets. */
export type NotificationSettings = z.infer<typeof Notified>;
/** The descriptions are the text of the reference. */
export const TenonSettings = z.strictObject({
  data: text.describe("The data, as in `--data`: a directory, a bundle file, `REPOSITORY#REF` or the URL of a server."),
  schemas: text.describe("Where the schemas are, if not beside the data."),
  chart: text.describe("The Helm chart of integrations; default: Tenon's own."),
  environment: text.describe("Only this environment."),
  upstream: text.describe("Only integrations of this upstream."),
  image: text.describe("The image of integrations."),
  imageTagFromRef: z
    .record(text, text)
    .describe("For an environment, the branch or tag of the upstream whose image to use: `stage: main`."),
  only: z
    .strictObject({ integrations: texts, clusters: texts })
    .partial()
    .describe("A part of the data: lists `integrations` and `clusters`. What is not in it is never deleted."),
  side: z.enum(["internal", "external"]).describe("Only clusters that are `internal`, or only those that are not."),
  kubeconfig: text.describe("The kubeconfig that contexts are in."),
  context: text.describe("One context for all clusters of the data, and for Tenon's own namespace."),
  instance: text.describe("An instance of `tenon up` or `tenon cluster start`, instead of a context."),
  tenonNamespace: text.describe(
    "Tenon's own namespace: the list of managed namespaces, the history of applied plans, and Leases.",
  ),
  namespace: text.describe("The former name of `tenonNamespace`."),
  clusters: z
    .record(text, Reach)
    .describe("For a cluster of the data, `context: NAME` or `inCluster: true`; overrides its data file."),
  tokenStore: text.describe(
    "Where the clusters' tokens are: `file:DIRECTORY`, `environment`, `kubernetes:NAMESPACE` or `vault:URL`.",
  ),
  stateFile: text.describe(
    "Keep the list of managed namespaces in this file, and the history of applied plans in `.history.json` beside it, instead of in ConfigMaps.",
  ),
  takeOverFrom: texts.describe("Owners whose objects to take over."),
  managedKinds: texts.describe("Manage only these kinds; default: those of the chart."),
  ignoreDifferences: z
    .array(IgnoreDifference)
    .describe(
      "Fields that others may change: selectors (`cluster`, `namespace`, `group`, `kind`, `name`; absent: all, and `*` stands for any characters), `paths` (JSON pointers, as in Argo CD's `jsonPointers`) and `managers` (field managers, as in its `managedFieldsManagers`).",
    ),
  maxDeletions: z
    .number()
    .int()
    .nonnegative()
    .describe("A plan with more deletions than this holds them back; default 50."),
  createNamespaces: z.boolean().describe("Create namespaces of the data that do not exist."),
  rollout: z
    .strictObject({ canary: text, soak: duration.optional() })
    .describe("The cluster that gets every change first, `canary: NAME`, and how long it must be healthy, `soak: 5m`."),
  healthyWithin: duration.describe(
    "How long an integration may take to become healthy that a move, a rollout or another one waits for; default 10m.",
  ),
  interval: duration.describe("How often `tenon run` reads data that cannot be watched; default 10m."),
  console: Served.describe(
    "How `tenon console` and `tenon run --console` serve the console: `host`, `port`, `publicUrl`, `readOnly` and `writable`, as the options of `tenon console`, and `oidc`, the identity provider: see [the console](../how-to/console.md#with-an-identity-provider).",
  ),
  notifications: z
    .array(Notified)
    .describe(
      "Webhooks, each with `url` or `urlFrom`, `events`, `secretFrom` and `format`: see [how to get notified](../how-to/get-notified.md).",
    ),
});

const Config = TenonSettings.partial();

/** The content of `tenon.yaml`; options and environment variables override it. */
export type TenonConfig = Omit<z.infer<typeof Config>, "namespace">;

/** Settings that are paths, relative to the folder of `tenon.yaml` and not to the working directory. */
const paths = ["chart", "schemas", "kubeconfig", "stateFile"] as const;

/** Reads the file of `--config`, or `./tenon.yaml` if it exists. Reports all its errors at once, with their lines. */
export async function readTenonConfig(given: string | undefined): Promise<TenonConfig> {
  const file = given ?? "tenon.yaml";
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (cause) {
    const isAbsent = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    if (isAbsent && given === undefined) return {};
    throw new InputError("cannot read the configuration", {
      where: file,
      next: "check the path of --config",
      cause,
    });
  }
  const read = Config.safeParse(parseYaml(content, { file }) ?? {});
  if (!read.success) throw invalidConfig(read.error, content, file);
  const folder = dirname(resolve(file));
  const { namespace: tenonNamespace, ...settings } = read.data;
  const config: TenonConfig = { ...(tenonNamespace === undefined ? {} : { tenonNamespace }), ...settings };
  for (const key of paths) if (config[key] !== undefined) config[key] = resolve(folder, config[key]);
  if (config.data !== undefined) config.data = locationFrom(folder, config.data);
  if (config.tokenStore?.startsWith("file:")) {
    config.tokenStore = `file:${resolve(folder, config.tokenStore.slice("file:".length))}`;
  }
  const secret = config.console?.oidc?.clientSecretFile;
  if (config.console?.oidc && secret !== undefined) config.console.oidc.clientSecretFile = resolve(folder, secret);
  config.notifications = config.notifications?.map((one) => notificationFrom(folder, one));
  return config;
}

function notificationFrom(
  folder: string,
  { urlFrom, secretFrom, ...rest }: NotificationSettings,
): NotificationSettings {
  const resolved = (from: z.infer<typeof From>) => ("file" in from ? { file: resolve(folder, from.file) } : from);
  return {
    ...rest,
    ...(urlFrom ? { urlFrom: resolved(urlFrom) } : {}),
    ...(secretFrom ? { secretFrom: resolved(secretFrom) } : {}),
  };
}

/** Resolves a directory, a bundle file, or a local repository before `#`; URLs stay as they are. */
function locationFrom(folder: string, location: string): string {
  if (/^([a-z+]+:\/\/|[^/]+@[^/]+:)/.test(location)) return location;
  const [path = "", ...ref] = location.split("#");
  return [resolve(folder, path), ...ref].join("#");
}

function invalidConfig(error: z.ZodError, content: string, file: string): InputError {
  const problems = error.issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    if (issue.code !== "unrecognized_keys") return [describeProblem(path, issue.message)];
    return issue.keys.map((key) => describeProblem([...path, key], unknownKey(path, key)));
  });
  function describeProblem(path: FieldPath, message: string): string {
    const position = locateInYaml(content, path);
    const where = position ? `${file}:${position.line}:${position.column}` : file;
    return `${where}: ${path.length === 0 ? "" : `${formatFieldPath(path)}: `}${message}`;
  }
  return new InputError(problems.join("\n"), { next: "see docs/reference/configuration.md" });
}

const nestedKeys = ["integrations", "clusters", "context", "inCluster", "canary", "soak", "file", "variable"].concat(
  Object.keys(IgnoreDifference.shape),
  Object.keys(Notified.shape),
  Object.keys(Served.shape),
  Object.keys(Oidc.shape),
  Object.keys(Impersonated.shape),
);

function unknownKey(path: FieldPath, key: string): string {
  const known = path.length === 0 ? Object.keys(TenonSettings.shape) : nestedKeys;
  const near = nearestName(key, known);
  return `unknown setting${near === undefined ? "" : `; did you mean ${near}?`}`;
}
