import {
  describeError,
  type FieldPath,
  formatFieldPath,
  InputError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  valueAt,
} from "#base";
import { ManagedObject } from "#inventory";
import type { Chart, ChartManifest } from "#template";
import { type IntegrationFinding, targetFinding } from "../data/integration-finding.ts";
import type { ManagedTarget, NamespaceData } from "../data/integration.ts";
import type { DesiredNamespace } from "./desired.ts";
import { attributeBy, valueOrigin, type RenderedTargets, renderTargets, type ShardedTarget } from "./render-targets.ts";
import type { ParameterInputs } from "./resolve-parameters.ts";
import type { NamespaceTargets } from "./select-targets.ts";
import { baseKinds, managerIdentity } from "../manager-defaults.ts";

interface GroupOptions {
  readonly chart: Chart;
  readonly givers: ParameterInputs;
  /** Whom the objects are stamped with. */
  readonly caller: string;
  /** What the chart renders for the whole group, if that is known already. */
  readonly manifests?: readonly ChartManifest[] | undefined;
}

interface GroupOutcome {
  readonly group: DesiredNamespace;
  readonly errors: readonly IntegrationFinding[];
}

/**
 * What should be in one namespace. All is rendered together; if that fails, each integration is rendered alone, and those
 * that succeed are rendered together again.
 */
export function computeDesiredNamespace(group: NamespaceTargets, options: GroupOptions): GroupOutcome {
  const errors: IntegrationFinding[] = [];
  let sharded = group.sharded;
  let rendered = attempt(group, sharded, options, options.manifests);
  if (!("objects" in rendered)) {
    sharded = sharded.filter((one) => {
      const alone = attempt(group, [one], options);
      if (!("objects" in alone)) errors.push(...alone.errors);
      return "objects" in alone;
    });
    rendered = sharded.length < group.sharded.length ? attempt(group, sharded, options) : rendered;
  }
  if (!("objects" in rendered)) {
    const failure = rendered.failure;
    errors.push(...sharded.map(({ target }) => unrenderable(target, failure)));
    return { group: { namespace: group.namespace, resources: [], kinds: [], parameters: new Map() }, errors };
  }
  const { resources, problems } = toResources(rendered.objects, group, sharded, options);
  const kinds = new Set(resources.map(({ kind, kindAndGroup }) => (baseKinds.includes(kind) ? kind : kindAndGroup)));
  return {
    group: { namespace: group.namespace, resources, kinds: [...kinds], parameters: rendered.parameters },
    errors: [...errors, ...problems],
  };
}

interface Failure {
  readonly failure: Error;
  readonly errors: readonly IntegrationFinding[];
}

function attempt(
  { namespace }: NamespaceTargets,
  sharded: readonly ShardedTarget[],
  { chart, givers }: GroupOptions,
  manifests?: readonly ChartManifest[],
): RenderedTargets | Failure {
  const origins = new Map<string, Origin>();
  const whereIs = (path: FieldPath): string | undefined => {
    const origin = valueOrigin(sharded, path);
    if (!origin) return undefined;
    const token = `${origin.target.where} ${JSON.stringify([origin.target.index, ...origin.at])}`;
    origins.set(token, origin);
    return token;
  };
  try {
    return renderTargets(namespace, sharded, { chart, givers, manifests, whereIs });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const faults = faultsOf(error);
    const explained = faults.flatMap((fault) => {
      const origin = origins.get(fault.where ?? "");
      return origin ? [unacceptable(origin, fault)] : [];
    });
    const isExplained = explained.length > 0 && explained.length === faults.length;
    return {
      failure: error,
      errors: isExplained ? explained : sharded.map(({ target }) => unrenderable(target, error)),
    };
  }
}

type Origin = NonNullable<ReturnType<typeof valueOrigin>>;

/** The chart knows a setting by its position among the values, and one that it does not know only by the name in its complaint. */
function unacceptable({ target, at }: Origin, { what, next }: InputError): IntegrationFinding {
  const complaint = what.replace(/^(?:integrations|cronjobs)\[\d+\]\S*: /, "");
  const [, unknown = ""] = /^additional properties '([^']+)'/.exec(complaint) ?? [];
  const field = at.length === 0 && Object.hasOwn(target.spec, unknown) ? ["spec", unknown] : at;
  const name = at.length === 0 ? target.integration : `${formatFieldPath(at)} of ${target.integration}`;
  return targetFinding(target, field, `the chart refuses ${name}: ${complaint}`, next);
}

/** A chart that has several complaints has them together as the cause of one error. */
function faultsOf(error: Error): InputError[] {
  const { cause } = error;
  const all: unknown[] = cause instanceof AggregateError ? cause.errors : [error];
  return all.filter((one) => one instanceof InputError);
}

function unrenderable(target: ManagedTarget, error: Error): IntegrationFinding {
  const next = "correct its settings or the chart; until then nothing of it is changed";
  return targetFinding(target, ["spec"], `${target.integration} cannot be rendered: ${describeError(error)}`, next);
}

/** With a problem in one object, all objects of its integration are left out. */
function toResources(
  objects: readonly JsonObject[],
  { namespace }: NamespaceTargets,
  sharded: readonly ShardedTarget[],
  { caller }: GroupOptions,
): { readonly resources: readonly ManagedObject[]; readonly problems: readonly IntegrationFinding[] } {
  const attribute = attributeBy(sharded);
  const targets = new Map(sharded.map(({ target }) => [target.integration, target]));
  const resources: ManagedObject[] = [];
  const problems = new Map<string | undefined, string[]>();
  const seen = new Map<string, string | undefined>();
  const blame = (owner: string | undefined, what: string): void => {
    problems.set(owner, [...(problems.get(owner) ?? []), what]);
  };
  for (const body of objects) {
    const attribution = attribute(body);
    const target = attribution === undefined ? undefined : targets.get(attribution);
    try {
      const errorDetails = target?.where;
      const resource = new ManagedObject({
        body,
        ...managerIdentity,
        callerName: caller,
        attribution,
        ...(errorDetails !== undefined && { errorDetails }),
      });
      for (const problem of problemsOf(body, namespace))
        blame(attribution, `${resource.kind} ${resource.name}: ${problem}`);
      const key = `${resource.kindAndGroup} ${resource.name}`;
      if (seen.has(key)) {
        for (const owner of new Set([attribution, seen.get(key)]))
          blame(owner, `${resource.kind} ${resource.name} is rendered twice`);
      }
      seen.set(key, attribution);
      resources.push(resource);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const prefix = target ? `${target.where}: ` : "";
      const where = error.where?.startsWith(prefix) ? error.where.slice(prefix.length) : error.where;
      blame(attribution, `${where ?? "an object"} ${error.what}`);
    }
  }
  const shared = problems.get(undefined);
  return {
    resources: resources.filter(({ attribution }) => !problems.has(attribution)),
    problems: [
      ...[...problems].flatMap(([integration, found]) => {
        const target = integration === undefined ? undefined : targets.get(integration);
        return target ? [refused(target, found)] : [];
      }),
      ...(shared ? sharded.map(({ target }) => refused(target, shared)) : []),
    ],
  };
}

const shown = 10;

function refused(target: ManagedTarget, found: readonly string[]): IntegrationFinding {
  const more = found.length > shown ? `; and ${found.length - shown} more` : "";
  const what = `${target.integration}: Kubernetes would refuse ${found.slice(0, shown).join("; ")}${more}`;
  return targetFinding(target, [], what, "correct its name, its shards or its settings");
}

const longestLabel = 63;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

const labelPaths: readonly (readonly string[])[] = [
  ["metadata", "labels"],
  ["spec", "template", "metadata", "labels"],
  ["spec", "jobTemplate", "spec", "template", "metadata", "labels"],
];

/** What the API server would refuse in an object of a chart, beside its name; in words that follow the object's. */
function* problemsOf(object: JsonObject, namespace: NamespaceData): Generator<string> {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  const written = metadata["namespace"];
  if (typeof written === "string" && written !== "" && written !== namespace.name) {
    yield `is in namespace ${written}, expected ${namespace.name}`;
  }
  for (const path of labelPaths) {
    const labels = valueAt(object, path);
    if (typeof labels !== "object" || labels === null) continue;
    for (const [key, value] of Object.entries(labels)) {
      const problem = labelProblem(value);
      if (problem !== undefined) yield `${formatFieldPath([...path, key])} ${problem}`;
    }
  }
}

function labelProblem(value: JsonValue): string | undefined {
  if (typeof value !== "string") return `is ${JSON.stringify(value)}, expected a string`;
  if (value.length > longestLabel) return `has ${value.length} characters; a label may have at most ${longestLabel}`;
  return labelValue.test(value) ? undefined : `is ${JSON.stringify(value)}, which is not a valid label value`;
}
