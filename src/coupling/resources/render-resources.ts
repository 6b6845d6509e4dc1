import { InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { isKubeObject, type KubeObject } from "#kube";
import { type MissingRead, type PlugData, PlugTemplate, renderObject } from "#template";
import {
  actionOf,
  isRetained as isKept,
  type ResourceAction,
  type Side,
  type Stage,
  type StageResource,
  stagesOf,
} from "../kinds/index.ts";
import { findUnquoted, refuseInjection, Placeholders } from "../guard/injection-guard.ts";
import { PlaceholderOutput } from "../guard/placeholder-output.ts";
import type { IsAuthorData } from "../guard/untrusted-actions.ts";
import type { ObjectOrigin } from "./mark-object.ts";
import { expandList, parseRendered } from "./parse-rendered.ts";

/** When resources run: at a stage, or in the result phase after it. */
export type ResourcePhase = Stage | "result";

/** One rendered object, and what to do with it. */
export interface RenderedAction {
  readonly do: "apply" | "delete" | "recreate";
  /** As rendered, in its owner's namespace; labels and owner are added when it is applied. */
  readonly object: KubeObject;
  readonly side: Side;
  /** The phase that creates it, which decides when it is deleted. */
  readonly stage: ResourcePhase;
  /** It is not deleted when its phase is undone. */
  readonly isRetained: boolean;
  /** Updates do not touch it. */
  readonly isOnce: boolean;
  /** It is put back when others delete or change it. */
  readonly isRepaired: boolean;
  /** Whether it is followed until it is ready, and where that is said. */
  readonly waitFor: ResourceAction["waitFor"] | undefined;
  /** For messages: `spec.resources[0].template`. */
  readonly field: string;
  /** Values of the other side that the text has without the quotes they need. */
  readonly unquoted: readonly string[];
  /** Fields that its template prints although they have no value. */
  readonly missing: readonly MissingRead[];
}

/** The owner of the resources, and the data of their templates. */
interface Rendering {
  readonly origin: ObjectOrigin;
  readonly data: PlugData;
  /** The values that the owner wrote itself; all others are untrusted. Undefined if there is no other side. */
  readonly isOwn: IsAuthorData | undefined;
  /** Which resources to render; default: all. */
  readonly only?: ((resource: StageResource) => boolean) | undefined;
}

interface Found {
  readonly object: JsonObject;
  readonly field: string;
  readonly unquoted: readonly string[];
  readonly missing: readonly MissingRead[];
}

/** The actions of a stage, in order. Throws an InputError that names the field. */
export function renderResources(
  resources: readonly StageResource[],
  stage: Stage,
  rendering: Rendering,
): RenderedAction[] {
  return resources.flatMap((resource, index) => {
    const when = stagesOf(resource);
    if (!when.includes(stage) || rendering.only?.(resource) === false) return [];
    const isRetained = isKept(resource) || undoing(stage, when).some((undone) => when.includes(undone));
    // An object of `created` lives until `deleted`, even if other stages apply it again.
    const made = when.includes("created") ? "created" : stage;
    const isOnce = made === "coupled" && !when.includes("updated");
    return renderAction(resource, `spec.resources[${index}]`, { ...rendering, stage: made, isRetained, isOnce });
  });
}

/** The actions of the result phase. */
export function renderResultResources(resources: readonly ResourceAction[], rendering: Rendering): RenderedAction[] {
  return resources.flatMap((resource, index) => {
    if (rendering.only?.(resource) === false) return [];
    const context = { ...rendering, stage: "result", isRetained: isKept(resource), isOnce: false } as const;
    return renderAction(resource, `spec.resultResources[${index}]`, context);
  });
}

/** The stages that would delete a resource's objects; a resource that also runs at one of them is not deleted there. */
function undoing(stage: Stage, when: readonly Stage[]): readonly Stage[] {
  if (stage === "decoupled" || stage === "deleted") return [stage];
  return when.includes("created") ? ["deleted"] : ["decoupled"];
}

interface Context extends Rendering {
  readonly stage: ResourcePhase;
  readonly isRetained: boolean;
  readonly isOnce: boolean;
}

function renderAction(resource: ResourceAction, field: string, context: Context): RenderedAction[] {
  const { origin, stage, isRetained, isOnce } = context;
  return [...renderTemplates(resource, field, context)].map(({ object, field: found, unquoted, missing }) => ({
    do: actionOf(resource),
    object: inNamespace(object, origin, found),
    side: origin.side,
    stage,
    isRetained,
    isOnce,
    isRepaired: resource.repair === true,
    waitFor: resource.waitFor,
    field: found,
    unquoted,
    missing,
  }));
}

function* renderTemplates(resource: ResourceAction, field: string, rendering: Rendering): Generator<Found> {
  const { data } = rendering;
  const { template, templates = [], stringTemplate, stringTemplates = [] } = resource;
  if (template) yield* renderTemplate(template, `${field}.template`, data);
  for (const [index, each] of templates.entries()) yield* renderTemplate(each, `${field}.templates[${index}]`, data);
  if (stringTemplate !== undefined) yield* renderText(stringTemplate, `${field}.stringTemplate`, rendering);
  for (const [index, each] of stringTemplates.entries()) {
    yield* renderText(each, `${field}.stringTemplates[${index}]`, rendering);
  }
}

function renderTemplate(template: Readonly<Record<string, unknown>>, field: string, data: PlugData): Found[] {
  const { object, missing } = renderObject(asJson(template), data, { name: field });
  return expandList(object, field).map((each) => ({ object: each, field, unquoted: [], missing }));
}

/** A text that renders only to whitespace and comments gives no object, and is not an error. */
function renderText(template: string, field: string, { data, isOwn }: Rendering): Found[] {
  const compiled = new PlugTemplate(template, { name: field });
  if (!isOwn) {
    const { text, missing } = compiled.render(data);
    return parseRendered(text, field).map((object) => ({ object, field, unquoted: [], missing }));
  }
  const placeholders = new Placeholders();
  const output = new PlaceholderOutput(compiled.onlyReads ? isOwn : undefined, (insertion) =>
    placeholders.for(insertion),
  );
  const { text, missing } = compiled.render(data, output);
  const withPlaceholders = output.text;
  const documents = parseRendered(text, field);
  if (!placeholders.areNeeded) return documents.map((object) => ({ object, field, unquoted: [], missing }));
  const { unquoted } = data.render(field, (count) => {
    // Reading two characters a second time takes about as long as a step.
    count(withPlaceholders.length >> 1);
    refuseInjection(documents, withPlaceholders, placeholders.actions, field);
    return { text: undefined, unquoted: findUnquoted(withPlaceholders, placeholders) };
  });
  return documents.map((object) => ({ object, field, unquoted, missing }));
}

/** The template is JSON, as it came from the API server. */
function asJson(value: Readonly<Record<string, unknown>>): JsonObject {
  const copy: JsonValue = JSON.parse(JSON.stringify(value));
  return isJsonObject(copy) ? copy : {};
}

/** Objects are created in their owner's namespace. Cluster-scoped kinds are detected later, by discovery. */
function inNamespace(object: JsonObject, { owner }: ObjectOrigin, field: string): KubeObject {
  if (!isKubeObject(object)) {
    throw new InputError("renders to something that is not a Kubernetes object", {
      where: field,
      next: "set apiVersion, kind and metadata.name",
    });
  }
  const { namespace = "" } = object.metadata;
  if (namespace !== "" && namespace !== owner.namespace) {
    throw new InputError(`resource namespace ${namespace} must be ${owner.namespace}`, {
      where: field,
      next: `leave metadata.namespace out: objects of a ${owner.kind} are made in its own namespace`,
    });
  }
  return { ...object, metadata: { ...object.metadata, namespace: owner.namespace } };
}
