import { createHash, hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isRecord, type JsonObject } from "#base";
import { ManagedObject } from "#inventory";
import type { UnparsedData } from "#bundle";
import type { Chart } from "#template";
import type { Desired, DesiredNamespace, DesiredOptions } from "./desired.ts";
import { managerIdentity } from "../manager-defaults.ts";

/** Texts that outlive a run, by keys. A key may be forgotten at any time. */
export interface DesiredStore {
  /** Names the code that computes the desired state: what other code kept has other keys. */
  readonly code: string;
  find(key: string): string | undefined;
  keep(key: string, text: string): void;
}

type Compute = (options: DesiredOptions) => Promise<Desired>;

/**
 * The desired state of an earlier run with the same data, chart, options and code, or else what `compute` gives now.
 *
 * It is kept only if it depends on nothing else: the chart promises that equal values give equal objects, no ref was looked up,
 * no variable of the process gave a parameter its value; and only if nothing is in error and no object is a Secret.
 */
export async function recallDesired(
  data: Pick<UnparsedData, "identity" | "location">,
  options: DesiredOptions,
  store: DesiredStore | undefined,
  compute: Compute,
): Promise<Desired> {
  const key = store && desiredKey(data, options, store.code);
  if (!store || key === undefined) return await compute(options);
  const found = store.find(key);
  const known = found === undefined ? undefined : decode(found, options);
  if (known) return known;
  let isRepeatable = true;
  const resolveRef: DesiredOptions["resolveRef"] = (...request) => {
    isRepeatable = false;
    return options.resolveRef(...request);
  };
  const desired = await compute({ ...options, resolveRef });
  if (isRepeatable && mayBeKept(desired)) {
    const text = encode(desired);
    // What JSON cannot say, such as infinity, and what this file does not know of, is not kept.
    if (isSame(decode(text, options), desired)) store.keep(key, text);
  }
  return desired;
}

/** Names the desired state of these. Undefined if it may depend on more than they say. */
export function desiredKey(
  { identity, location }: Pick<UnparsedData, "identity" | "location">,
  options: DesiredOptions,
  code: string,
): string | undefined {
  const { chart, processEnv: _, resolveRef: __, locate: ___, imageTagFromRef, ...choices } = options;
  const { annotations, dependencies = [] } = chart.metadata;
  // A server names its data by its commit and says nothing of its own code.
  if (location === undefined || annotations?.get("tenon.dev/renderings") !== "repeatable") return undefined;
  if (dependencies.length > 0 || chart.dependencies.length > 0 || (imageTagFromRef?.size ?? 0) > 0) return undefined;
  const given = Object.fromEntries(Object.entries(choices).filter(([, value]) => value !== undefined));
  const written = JSON.stringify(given);
  if (!isDeepStrictEqual(JSON.parse(written), given)) return undefined;
  // Messages name files as they were found from here.
  const parts = [code, identity, location, digestOf(chart), written];
  return hash("sha256", JSON.stringify(parts));
}

/** Of Chart.yaml and all other files. */
function digestOf({ metadata, templates, files, valuesFile, schema }: Chart): string {
  const digest = createHash("sha256");
  const { annotations, ...rest } = metadata;
  digest.update(JSON.stringify([rest, [...(annotations ?? [])]]));
  for (const file of [...templates, ...files, valuesFile, schema]) {
    const { name, data } = file ?? { name: "", data: new Uint8Array() };
    digest.update(`${JSON.stringify(name)} ${data.length}\n`).update(data);
  }
  return digest.digest("hex");
}

function mayBeKept({ errors, groups }: Desired): boolean {
  if (errors.length > 0) return false;
  return groups.every(({ resources, parameters }) => {
    const isGiven = [...parameters.values()].some(({ source, overrode }) =>
      [source, ...overrode.map((value) => value.source)].includes("process environment"),
    );
    return !isGiven && resources.every(({ kind, body }) => kind !== "Secret" && !Object.hasOwn(body, "items"));
  });
}

interface KeptGroup extends Omit<DesiredNamespace, "namespace" | "resources" | "parameters"> {
  /** Its place among the namespaces. */
  readonly namespace: number;
  readonly resources: readonly KeptObject[];
  readonly parameters: readonly (readonly [string, Parameter])[];
}

type Parameter = DesiredNamespace["parameters"] extends ReadonlyMap<string, infer Entry> ? Entry : never;

interface KeptObject {
  readonly body: JsonObject;
  readonly sha256: string;
  readonly caller: string | undefined;
  readonly attribution: string | undefined;
  readonly errorDetails: string | undefined;
}

interface KeptDesired extends Pick<Desired, "warnings" | "namespaces" | "suspensions"> {
  readonly groups: readonly KeptGroup[];
  readonly declared: readonly string[];
  readonly names: readonly string[];
  readonly callers: readonly string[];
  readonly running: readonly string[];
  readonly after: readonly (readonly [string, readonly string[]])[];
}

function encode(desired: Desired): string {
  const { groups, warnings, declared, names, namespaces, callers, running, after, suspensions } = desired;
  const kept = {
    groups: groups.map((group) => ({
      kinds: group.kinds,
      namespace: namespaces.indexOf(group.namespace),
      parameters: [...group.parameters],
      resources: group.resources.map((resource) => ({
        body: resource.body,
        sha256: resource.sha256(),
        caller: resource.caller,
        attribution: resource.attribution,
        errorDetails: resource.errorDetails,
      })),
    })),
    warnings,
    declared: [...declared],
    names: [...names],
    namespaces,
    callers: [...callers],
    running: [...running],
    after: [...after],
    suspensions,
  };
  return JSON.stringify(kept);
}

/** Undefined if it is not whole, or if a variable of the process gives one of its parameters a value now. */
function decode(text: string, { processEnv }: DesiredOptions): Desired | undefined {
  const kept = parse(text);
  if (!kept) return undefined;
  const isGiven = kept.groups.some(({ parameters }) => parameters.some(([name]) => processEnv[name] !== undefined));
  if (isGiven) return undefined;
  const { warnings, declared, names, namespaces, callers, running, after, suspensions } = kept;
  const groups = kept.groups.flatMap((group) => {
    const namespace = namespaces[group.namespace];
    if (!namespace) return [];
    const resources = group.resources.map(objectOf);
    return [{ namespace, resources, kinds: group.kinds, parameters: new Map(group.parameters) }];
  });
  return {
    groups,
    errors: [],
    warnings,
    declared: new Set(declared),
    names: new Set(names),
    namespaces,
    callers: new Set(callers),
    running: new Set(running),
    after: new Map(after),
    suspensions,
  };
}

function objectOf({ body, sha256, caller, attribution, errorDetails }: KeptObject): ManagedObject {
  return new ManagedObject({
    body,
    ...managerIdentity,
    callerName: caller,
    attribution,
    ...(errorDetails !== undefined && { errorDetails }),
    skipValidation: true,
    sha256,
  });
}

function parse(text: string): KeptDesired | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isKept(parsed) ? parsed : undefined;
  } catch {
    // Cut off by a full disk, say.
    return undefined;
  }
}

/** Whether both are equal, also in their classes; what is undefined counts as absent. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return Object.is(one, other);
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  if (one instanceof Map || one instanceof Set) {
    return (other instanceof Map || other instanceof Set) && isSame([...one], [...other]);
  }
  for (const key of Object.keys(one)) if (!isSame(one[key], other[key])) return false;
  for (const key of Object.keys(other)) if (other[key] !== undefined && one[key] === undefined) return false;
  return true;
}

function isKept(value: unknown): value is KeptDesired {
  return typeof value === "object" && value !== null && "groups" in value && Array.isArray(value.groups);
}
