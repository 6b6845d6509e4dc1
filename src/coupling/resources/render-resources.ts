import { InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { isKubeObject, type KubeObject } from "#kube";
import { type Insertion, type IsOwn, type PlugData, PlugTemplate, renderObject } from "#template";
import type { Stage } from "../kinds/names.ts";
import { actionOf, isRetained as isKept, stagesOf } from "../kinds/resource-defaults.ts";
import type { Resource, ResourceAction } from "../kinds/shared-spec.ts";
import { findUnquoted } from "./find-unquoted.ts";
import { keepInPlace } from "./keep-in-place.ts";
import type { Belonging } from "./mark-object.ts";
import { expandList, readDocuments } from "./read-documents.ts";
import type { Occasion, RenderedAction } from "./rendered.ts";
import { StandIns } from "./stand-ins.ts";

/** Whose resources are rendered, and with what. */
export interface Rendering {
  readonly belonging: Belonging;
  readonly data: PlugData;
  /** What the side whose resources they are gave itself: all else may hold anything. Undefined where there is no other side. */
  readonly isOwn: IsOwn | undefined;
}

interface Found {
  readonly object: JsonObject;
  readonly field: string;
  readonly unquoted: readonly string[];
}

/** The actions of a stage, in the order in which they are to be done. Throws an InputError that names the field. */
export function renderResources(resources: readonly Resource[], stage: Stage, rendering: Rendering): RenderedAction[] {
  return resources.flatMap((resource, index) => {
    const when = stagesOf(resource);
    if (!when.includes(stage)) return [];
    const isRetained = isKept(resource) || undoing(stage, when).some((undone) => when.includes(undone));
    // What is there from the beginning stays to the end, however often it is applied in between.
    const made = when.includes("created") ? "created" : stage;
    const isOnce = made === "coupled" && !when.includes("updated");
    return renderAction(resource, `spec.resources[${index}]`, { ...rendering, stage: made, isRetained, isOnce });
  });
}

/** Those of the result phase. */
export function renderResultResources(resources: readonly ResourceAction[], rendering: Rendering): RenderedAction[] {
  return resources.flatMap((resource, index) =>
    renderAction(resource, `spec.resultResources[${index}]`, {
      ...rendering,
      stage: "result",
      isRetained: isKept(resource),
      isOnce: false,
    }),
  );
}

/** The stages at which a resource would be removed; one that says itself what happens then is not. */
function undoing(stage: Stage, when: readonly Stage[]): readonly Stage[] {
  if (stage === "decoupled" || stage === "deleted") return [stage];
  return when.includes("created") ? ["deleted"] : ["decoupled"];
}

interface Context extends Rendering {
  readonly stage: Occasion;
  readonly isRetained: boolean;
  readonly isOnce: boolean;
}

function renderAction(resource: ResourceAction, field: string, context: Context): RenderedAction[] {
  const { belonging, stage, isRetained, isOnce } = context;
  return [...renderTemplates(resource, field, context)].map(({ object, field: found, unquoted }) => ({
    do: actionOf(resource),
    object: inNamespace(object, belonging, found),
    side: belonging.side,
    stage,
    isRetained,
    isOnce,
    field: found,
    unquoted,
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
  const { object } = renderObject(asJson(template), data, { name: field });
  return expandList(object, field).map((each) => ({ object: each, field, unquoted: [] }));
}

/** A text that renders to nothing but spaces and comments is no object, and no error. */
function renderText(template: string, field: string, { data, isOwn }: Rendering): Found[] {
  const compiled = new PlugTemplate(template, { name: field });
  if (!isOwn) {
    const { text } = compiled.render(data);
    return readDocuments(text, field).map((object) => ({ object, field, unquoted: [] }));
  }
  const standIns = new StandIns();
  const standIn = (insertion: Insertion): string => standIns.for(insertion);
  const { text, apart } = compiled.renderApart(data, { isOwn, standIn });
  const documents = readDocuments(text, field);
  if (!standIns.areNeeded) return documents.map((object) => ({ object, field, unquoted: [] }));
  const { unquoted } = data.render(field, () => {
    keepInPlace(documents, apart, standIns.actions, field);
    return { text: undefined, unquoted: findUnquoted(apart, standIns) };
  });
  return documents.map((object) => ({ object, field, unquoted }));
}

/** It came from the API server. */
function asJson(value: Readonly<Record<string, unknown>>): JsonObject {
  const copy: JsonValue = JSON.parse(JSON.stringify(value));
  return isJsonObject(copy) ? copy : {};
}

/** Everybody works in their own namespace. What has none is found out when the cluster is asked about its kind. */
function inNamespace(object: JsonObject, { owner }: Belonging, field: string): KubeObject {
  if (!isKubeObject(object)) {
    throw new InputError("renders to something that is no object of Kubernetes", {
      where: field,
      next: "give it apiVersion, kind and metadata.name",
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
