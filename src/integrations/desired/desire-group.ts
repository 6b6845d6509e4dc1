import { describeError, type FieldPath, formatFieldPath, InputError, type JsonObject } from "#base";
import { ManagedObject } from "#inventory";
import type { Chart, ChartManifest } from "#template";
import { type Finding, findingOf } from "../data/finding.ts";
import type { ManagedPlace } from "../data/integration.ts";
import type { ParameterGivers } from "../parameters/resolve-parameters.ts";
import { originOf, type ShardedPlace } from "../values/chart-values.ts";
import { attributeBy } from "./attribute-objects.ts";
import { problemsOf } from "./check-object.ts";
import type { DesiredGroup } from "./desired.ts";
import { managerIdentity } from "./manager-identity.ts";
import { renderPlaces, type RenderedPlaces } from "./render-places.ts";
import type { PlaceGroup } from "./select-places.ts";

export interface GroupOptions {
  readonly chart: Chart;
  readonly givers: ParameterGivers;
  /** Whom the objects are stamped with. */
  readonly caller: string;
  /** What the chart renders for the whole group, if that is known already. */
  readonly manifests?: readonly ChartManifest[] | undefined;
}

export interface GroupOutcome {
  readonly group: DesiredGroup;
  readonly errors: readonly Finding[];
}

/** Kinds that qontract-reconcile manages, and knows by their bare names. */
const plainKinds = new Set(["Deployment", "StatefulSet", "CronJob", "Service"]);

/**
 * What should be in one namespace. All is rendered together; if that fails, each integration is rendered alone, and those
 * that succeed are rendered together again.
 */
export function desireGroup(group: PlaceGroup, options: GroupOptions): GroupOutcome {
  const errors: Finding[] = [];
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
    errors.push(...sharded.map(({ place }) => unrenderable(place, failure)));
    return { group: { namespace: group.namespace, resources: [], kinds: [], parameters: new Map() }, errors };
  }
  const { resources, problems } = toResources(rendered.objects, group, sharded, options);
  const kinds = new Set(resources.map(({ kind, kindAndGroup }) => (plainKinds.has(kind) ? kind : kindAndGroup)));
  return {
    group: { namespace: group.namespace, resources, kinds: [...kinds], parameters: rendered.parameters },
    errors: [...errors, ...problems],
  };
}

interface Failure {
  readonly failure: Error;
  readonly errors: readonly Finding[];
}

function attempt(
  { namespace }: PlaceGroup,
  sharded: readonly ShardedPlace[],
  { chart, givers }: GroupOptions,
  manifests?: readonly ChartManifest[],
): RenderedPlaces | Failure {
  const origins = new Map<string, Origin>();
  const whereIs = (path: FieldPath): string | undefined => {
    const origin = originOf(sharded, path);
    if (!origin) return undefined;
    const token = `${origin.place.where} ${JSON.stringify([origin.place.index, ...origin.at])}`;
    origins.set(token, origin);
    return token;
  };
  try {
    return renderPlaces(namespace, sharded, { chart, givers, manifests, whereIs });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const faults = faultsOf(error);
    const explained = faults.flatMap((fault) => {
      const origin = origins.get(fault.where ?? "");
      return origin ? [unacceptable(origin, fault)] : [];
    });
    const isExplained = explained.length > 0 && explained.length === faults.length;
    return { failure: error, errors: isExplained ? explained : sharded.map(({ place }) => unrenderable(place, error)) };
  }
}

type Origin = NonNullable<ReturnType<typeof originOf>>;

/** The chart knows a setting by its place among the values, and one that it does not know only by the name in its complaint. */
function unacceptable({ place, at }: Origin, { what, next }: InputError): Finding {
  const complaint = what.replace(/^(?:integrations|cronjobs)\[\d+\]\S*: /, "");
  const [, unknown = ""] = /^additional properties '([^']+)'/.exec(complaint) ?? [];
  const field = at.length === 0 && Object.hasOwn(place.spec, unknown) ? ["spec", unknown] : at;
  const name = at.length === 0 ? place.integration : `${formatFieldPath(at)} of ${place.integration}`;
  return findingOf(place, field, `the chart refuses ${name}: ${complaint}`, next);
}

/** A chart that has several complaints has them together as the cause of one error. */
function faultsOf(error: Error): InputError[] {
  const { cause } = error;
  const all: unknown[] = cause instanceof AggregateError ? cause.errors : [error];
  return all.filter((one) => one instanceof InputError);
}

function unrenderable(place: ManagedPlace, error: Error): Finding {
  const next = "correct its settings or the chart; until then nothing of it is changed";
  return findingOf(place, ["spec"], `${place.integration} cannot be rendered: ${describeError(error)}`, next);
}

/** With a problem in one object, all objects of its integration are left out. */
function toResources(
  objects: readonly JsonObject[],
  { namespace }: PlaceGroup,
  sharded: readonly ShardedPlace[],
  { caller }: GroupOptions,
): { readonly resources: readonly ManagedObject[]; readonly problems: readonly Finding[] } {
  const attribute = attributeBy(sharded);
  const places = new Map(sharded.map(({ place }) => [place.integration, place]));
  const resources: ManagedObject[] = [];
  const problems = new Map<string | undefined, string[]>();
  const seen = new Map<string, string | undefined>();
  const blame = (owner: string | undefined, what: string): void => {
    problems.set(owner, [...(problems.get(owner) ?? []), what]);
  };
  for (const body of objects) {
    const attribution = attribute(body);
    const place = attribution === undefined ? undefined : places.get(attribution);
    try {
      const errorDetails = place?.where;
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
      const prefix = place ? `${place.where}: ` : "";
      const where = error.where?.startsWith(prefix) ? error.where.slice(prefix.length) : error.where;
      blame(attribution, `${where ?? "an object"} ${error.what}`);
    }
  }
  const shared = problems.get(undefined);
  return {
    resources: resources.filter(({ attribution }) => !problems.has(attribution)),
    problems: [
      ...[...problems].flatMap(([integration, found]) => {
        const place = integration === undefined ? undefined : places.get(integration);
        return place ? [refused(place, found)] : [];
      }),
      ...(shared ? sharded.map(({ place }) => refused(place, shared)) : []),
    ],
  };
}

const shown = 10;

function refused(place: ManagedPlace, found: readonly string[]): Finding {
  const more = found.length > shown ? `; and ${found.length - shown} more` : "";
  const what = `${place.integration}: Kubernetes would refuse ${found.slice(0, shown).join("; ")}${more}`;
  return findingOf(place, [], what, "correct its name, its shards or its settings");
}
