import { isJsonObject, type JsonObject, nearestName, InputError } from "#base";
import { plainBody } from "#inventory";
import { withoutInvalid } from "../data/data-validity.ts";
import type { ManagerData } from "../data/read-integrations.ts";
import { computeDesired } from "./compute-desired.ts";
import type { DesiredOptions, IntegrationError, IntegrationWarning } from "./desired.ts";
import { selectTargets } from "./select-targets.ts";

export interface RenderIntegrationOptions extends DesiredOptions {
  /** Only the objects of this shard: its number, its key, or its whole name. */
  readonly shard?: string | undefined;
}

/** What an integration has in one namespace. */
export interface RenderedNamespace {
  readonly cluster: string;
  readonly namespace: string;
  /** As they are sent, without the time; values of Secrets are masked. */
  readonly objects: readonly JsonObject[];
}

export interface RenderedIntegration {
  readonly namespaces: readonly RenderedNamespace[];
  readonly errors: readonly IntegrationError[];
  readonly warnings: readonly IntegrationWarning[];
}

/** The objects that one integration should have, from the data alone. What several integrations share is not among them. */
export async function renderIntegration(
  data: ManagerData,
  integration: string,
  { shard, ...options }: RenderIntegrationOptions,
  signal: AbortSignal,
): Promise<RenderedIntegration> {
  const narrowed = { ...options, integration: [integration] };
  const { groups, errors, warnings } = await computeDesired(data, narrowed, signal);
  const shards = await shardsOf(data, integration, narrowed, signal);
  if (shard !== undefined) requireShard(shard, shards, integration);
  const namespaces = groups
    .map(({ namespace, resources }) => ({
      cluster: namespace.cluster.name,
      namespace: namespace.name,
      objects: resources
        .filter(({ attribution }) => attribution === integration)
        .filter(({ name }) => shard === undefined || shardOf(name, shards)?.names.includes(shard))
        .map((resource) =>
          masked(placed(plainBody(resource.stamped(), `${resource.kind} ${resource.name}`), namespace.name)),
        ),
    }))
    .filter(({ objects }) => objects.length > 0);
  return { namespaces, errors, warnings };
}

interface NamedShard {
  /** What the names of its objects begin with. */
  readonly prefix: string;
  /** How it may be called. */
  readonly names: readonly string[];
}

async function shardsOf(
  data: ManagerData,
  integration: string,
  options: DesiredOptions,
  signal: AbortSignal,
): Promise<NamedShard[]> {
  const { groups } = await selectTargets(withoutInvalid(data), options, signal);
  const all = groups.flatMap(({ sharded }) => sharded.filter(({ target }) => target.integration === integration));
  return all.flatMap(({ shards }) =>
    shards.map(({ shard_name_suffix: suffix, shard_id: id, shard_key: key }) => {
      const prefix = `${integration}${suffix}`;
      return { prefix, names: [suffix.replace(/^-/, ""), id, key, prefix].filter((name) => name !== "") };
    }),
  );
}

/** Charts add to the names of shards: before them what qontract-reconcile's chart does, behind them what an object is for. */
function shardOf(name: string, shards: readonly NamedShard[]): NamedShard | undefined {
  const bare = name.replace(/^qontract-reconcile-/, "");
  const fitting = shards.filter(({ prefix }) =>
    [name, bare].some((one) => one === prefix || one.startsWith(`${prefix}-`)),
  );
  return fitting.toSorted((one, other) => other.prefix.length - one.prefix.length)[0];
}

function requireShard(shard: string, shards: readonly NamedShard[], integration: string): void {
  if (shards.some(({ names }) => names.includes(shard))) return;
  const known = [...new Set(shards.flatMap(({ names }) => names[0] ?? []))];
  const near = nearestName(shard, known);
  throw new InputError(`${integration} has no shard ${shard}`, {
    where: "--shard",
    next: near === undefined ? `its shards: ${known.join(", ")}` : `did you mean ${near}?`,
  });
}

function placed(body: JsonObject, namespace: string): JsonObject {
  const metadata = isJsonObject(body["metadata"]) ? body["metadata"] : {};
  return { ...body, metadata: { ...metadata, namespace } };
}

function masked(body: JsonObject): JsonObject {
  if (body["kind"] !== "Secret") return body;
  const hide = (key: string): JsonObject => {
    const values = body[key];
    return isJsonObject(values) ? { [key]: Object.fromEntries(Object.keys(values).map((name) => [name, "***"])) } : {};
  };
  return { ...body, ...hide("data"), ...hide("stringData") };
}
