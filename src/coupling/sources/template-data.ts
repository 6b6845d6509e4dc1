import { type FieldPath, InputError, isJsonObject, type JsonObject } from "#base";
import { type MissingRead, PlugData, PlugTemplate } from "#template";
import { jsonObject, type Pair, type Plug, type Side, sides, type Socket } from "../kinds/index.ts";
import type { OfferedValue, ResolvedMap } from "./resolved.ts";
import { lastAppliedAnnotation, seenBy, socketForPlugs, visibleConfig } from "./visible-values.ts";

const views = new WeakMap<Plug | Socket, JsonObject>();

/**
 * An object as templates and apparatuses see it: without the managed fields. Each object has one view, so that a socket is
 * prepared for templates once for all its plugs.
 */
export function viewOf(object: Plug | Socket): JsonObject {
  const known = views.get(object);
  if (known) return known;
  const { managedFields: _, ...metadata } = object.metadata;
  const view = { ...jsonObject(object), metadata: jsonObject(metadata) };
  views.set(object, view);
  return view;
}

/** What apparatuses see of a socket: the list of its plugs would make every call larger with each of them. */
export function callView(socket: Socket): JsonObject {
  const { status, ...view } = viewOf(socket);
  if (!isJsonObject(status)) return view;
  const { coupledPlugs: _, ...others } = status;
  return { ...view, status: others };
}

/** For `objref.templateName` and `templateNamespace`. */
export function referenceData(pair: Pair, side: Side): PlugData {
  return dataOf(seenBy(side, pair), {});
}

/** The data of a template, and the same without parts that change by themselves; if the outputs differ, the value is unstable. */
interface ComparedData {
  readonly data: PlugData;
  readonly still: PlugData;
}

/** For the `configTemplate` of the side of these vars. */
export function configData(
  pair: Pair,
  side: Side,
  maps: { plugData: ResolvedMap; socketData: ResolvedMap; vars: ResolvedMap },
): ComparedData {
  return comparedData(seenBy(side, pair), maps);
}

/** For resources of the stages `created` and `deleted`, which concern one side only. */
export function ownData(object: Plug | Socket): PlugData {
  const side: Side = object.kind === "Plug" ? "plug" : "socket";
  const secrets = object.kind === "Socket" ? sensitivePaths({ socket: object }) : [];
  return new PlugData({ [side]: viewOf(object) }, secrets);
}

/**
 * For resources of the stages `coupled`, `updated` and `decoupled`. Both sides share one, and its limits, unless the socket hides
 * values from its plugs.
 */
export function stageData(
  pair: Pair,
  { plugConfig, socketConfig }: { plugConfig: ResolvedMap; socketConfig: ResolvedMap },
): Readonly<Record<Side, PlugData>> {
  const socket = dataOf(pair, { plugConfig, socketConfig });
  if (socketForPlugs(pair.socket) === pair.socket) return { plug: socket, socket };
  const visible = visibleConfig("plug", pair.socket, socketConfig);
  return { plug: dataOf(seenBy("plug", pair), { plugConfig, socketConfig: visible }), socket };
}

/** For the `resultTemplate` of the side of these vars. `vars` is an alias, which published sockets rely on. */
export function resultTemplateData(
  pair: Pair,
  side: Side,
  {
    resultVars,
    socketConfig,
    ...maps
  }: {
    plugData: ResolvedMap;
    socketData: ResolvedMap;
    plugConfig: ResolvedMap;
    socketConfig: ResolvedMap;
    resultVars: ResolvedMap;
  },
): ComparedData {
  const visible = visibleConfig(side, pair.socket, socketConfig);
  return comparedData(seenBy(side, pair), { ...maps, socketConfig: visible, resultVars, vars: resultVars });
}

/** For the `resultResources` of one side. */
export function resultData(
  pair: Pair,
  side: Side,
  maps: { plugConfig: ResolvedMap; socketConfig: ResolvedMap; plugResult: ResolvedMap; socketResult: ResolvedMap },
): PlugData {
  const socketConfig = visibleConfig(side, pair.socket, maps.socketConfig);
  const result = side === "plug" ? maps.plugResult : maps.socketResult;
  return dataOf(seenBy(side, pair), { ...maps, socketConfig, result });
}

function dataOf({ plug, socket }: Pair, maps: Readonly<Record<string, ResolvedMap>>, view = viewOf): PlugData {
  const named = Object.entries(maps);
  const secrets: FieldPath[] = sensitivePaths({ plug, socket });
  for (const [name, map] of named) {
    for (const [key, { isSecret }] of map) if (isSecret) secrets.push([name, key]);
  }
  const values = named.map(([name, map]) => [name, plainTexts(map)] as const);
  return new PlugData({ plug: view(plug), socket: view(socket), ...Object.fromEntries(values) }, secrets);
}

/**
 * Tenon's own writes change status and version of the objects, and unstable values change each time: a config or a result that
 * depends on them would trigger another update after each update.
 */
function comparedData(pair: Pair, maps: Readonly<Record<string, ResolvedMap>>): ComparedData {
  const still = Object.entries(maps).map(([name, map]) => [name, stableOf(map)] as const);
  return {
    data: dataOf(pair, maps),
    still: dataOf(pair, Object.fromEntries(still), stillView),
  };
}

/** A plug without what Tenon's own writes change. */
export function stillPlug(plug: Plug): Plug {
  const { status: _, ...rest } = plug;
  return { ...rest, metadata: stillMetadata(plug) };
}

/** The same for a socket. */
export function stillSocket(socket: Socket): Socket {
  const { status: _, ...rest } = socket;
  return { ...rest, metadata: stillMetadata(socket) };
}

function stillMetadata({ metadata }: Plug | Socket): Plug["metadata"] {
  const { managedFields: _fields, resourceVersion: _version, ...rest } = metadata;
  return rest;
}

export function stableOf(map: ResolvedMap): ResolvedMap {
  return new Map([...map].filter(([, { isUnstable }]) => !isUnstable));
}

function stillView(object: Plug | Socket): JsonObject {
  const { status: _status, ...rest } = object;
  return { ...jsonObject(rest), metadata: jsonObject(stillMetadata(object)) };
}

/** The plain values, for requests and Secrets. */
export function plainTexts(map: ResolvedMap): Readonly<Record<string, string>> {
  return Object.fromEntries([...map].map(([key, { value }]) => [key, value]));
}

/**
 * Where the objects themselves have values that the interface marks as sensitive: a user may write a password into
 * `spec.config`, and a template may read it there.
 */
function sensitivePaths({ plug, socket }: { readonly plug?: Plug; readonly socket: Socket }): FieldPath[] {
  const objects = { plug, socket };
  const paths: FieldPath[] = [];
  for (const part of ["config", "result"] as const) {
    for (const side of sides) {
      for (const [key, property] of Object.entries(socket.spec.interface?.[part]?.[side] ?? {})) {
        if (!property?.sensitive) continue;
        if (property.default !== undefined) paths.push(["socket", "spec", "interface", part, side, key, "default"]);
        if (objects[side]?.spec[part]?.[key] !== undefined) paths.push([side, "spec", part, key]);
      }
    }
  }
  const touched = new Set(paths.map(([side = ""]) => side));
  for (const side of touched) paths.push([side, "metadata", "annotations", lastAppliedAnnotation]);
  return paths;
}

/** Renders one text for each key. A key whose template is a single action with a missing operand is absent. */
export function renderValueTemplates(
  templates: Readonly<Record<string, string>>,
  { data, still }: ComparedData,
  where: string,
  onMissing: (reads: readonly MissingRead[]) => void = () => {},
): [string, OfferedValue][] {
  return Object.entries(templates).flatMap(([key, text]): [string, OfferedValue][] => {
    if (!text.includes("{%")) return [[key, { value: text }]];
    const template = new PlugTemplate(text, { name: `${where}.${key}` });
    const { text: value, isSecret, isUnstable, missing } = template.renderIfPresent(data);
    onMissing(missing);
    if (value === undefined) return [];
    return [[key, { value, isSecret, isUnstable: isUnstable || stillText(template, still) !== value }]];
  });
}

/** Undefined if the template fails without the unstable parts. */
function stillText(template: PlugTemplate, still: ComparedData["still"]): string | undefined {
  try {
    return template.renderIfPresent(still).text;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
