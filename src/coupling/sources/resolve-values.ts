import { InputError, type JsonObject, type JsonValue } from "#base";
import type { Side } from "../kinds/names.ts";
import { describeObject, type Pair } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import { applyInterface, type CheckedValues } from "./apply-interface.ts";
import { listResultSources, listSources, missingObjects, readSources } from "./read-sources.ts";
import {
  type AnsweredResults,
  mergeSources,
  type OfferedValue,
  type OfferedValues,
  type ResolvedInputs,
  type ResolvedMap,
  type ResolvedResults,
  type SourceReader,
  textsOf,
  valueText,
  type WaitingResults,
} from "./resolved.ts";
import { SideSources } from "./side-sources.ts";
import { seenBy } from "./visible-values.ts";
import { callView, configData, plainTexts, renderValueTemplates, resultTemplateData, viewOf } from "./template-data.ts";

/** The body of a `/config` call, without its version. `vars` are those of the called side. */
interface ConfigRequest {
  readonly plug: JsonObject;
  readonly socket: JsonObject;
  readonly plugData: Readonly<Record<string, string>>;
  readonly socketData: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
}

export interface InputHooks {
  /** Asks the apparatus of a side, whose answer wins over all other sources of its config; undefined if it has none. */
  readonly config?: (side: Side, request: ConfigRequest, signal: AbortSignal) => Promise<JsonObject | undefined>;
}

/** The resolved inputs, and their problems. */
export interface ExaminedInputs extends ResolvedInputs {
  readonly problems: readonly string[];
  /** Missing keys that an apparatus may provide, which was not asked. */
  readonly unanswered: readonly string[];
}

/**
 * Resolves everything that an attempt needs, with one read for each source. An InputError names everything that is missing;
 * `listSources` gives the objects to watch.
 */
export async function resolveInputs(
  plug: Plug,
  socket: Socket,
  reader: (side: Side) => SourceReader,
  hooks: InputHooks,
  signal: AbortSignal,
): Promise<ResolvedInputs> {
  const { problems, unanswered: _, ...inputs } = await examineInputs(plug, socket, reader, hooks, signal);
  if (problems.length === 0) return inputs;
  throw new InputError(problems.join("; "), {
    where: describeObject(plug),
    next: `the interface of ${describeObject(socket)} requires it; add the missing keys to a source of that side, and correct the others`,
  });
}

/** The same, but returns problems instead of throwing, to show what is there. */
export async function examineInputs(
  plug: Plug,
  socket: Socket,
  reader: (side: Side) => SourceReader,
  hooks: InputHooks,
  signal: AbortSignal,
): Promise<ExaminedInputs> {
  const pair = { plug, socket };
  const refs = listSources(pair);
  const found = await readSources(refs, reader, signal);
  const problem = missingObjects(pair, refs, found);
  if (problem) throw problem;
  const ofPlug = new SideSources(pair, "plug", refs, found);
  const ofSocket = new SideSources(pair, "socket", refs, found);
  const data = { plugData: ofPlug.data(), socketData: ofSocket.data() };
  const isUnasked = ({ spec }: Plug | Socket): boolean => spec.apparatus !== undefined && hooks.config === undefined;
  const plugVars = ofPlug.vars("empty");
  const socketVars = ofSocket.vars("empty");
  reader("plug").hold?.(plugVars);
  reader("socket").hold?.(socketVars);
  const plugConfig = await configOf(ofPlug, { ...data, vars: plugVars }, hooks, signal);
  const socketConfig = await configOf(ofSocket, { ...data, vars: socketVars }, hooks, signal);
  return {
    ...data,
    plugVars,
    socketVars,
    plugConfig: plugConfig.values,
    socketConfig: socketConfig.values,
    dropped: [...plugConfig.dropped, ...socketConfig.dropped],
    problems: [
      isUnasked(plug) ? [] : plugConfig.missing,
      plugConfig.mistakes,
      isUnasked(socket) ? [] : socketConfig.missing,
      socketConfig.mistakes,
    ].flat(),
    unanswered: [isUnasked(plug) ? plugConfig.missing : [], isUnasked(socket) ? socketConfig.missing : []].flat(),
  };
}

async function configOf(
  own: SideSources,
  maps: { readonly plugData: ResolvedMap; readonly socketData: ResolvedMap; readonly vars: ResolvedMap },
  { config }: InputHooks,
  signal: AbortSignal,
): Promise<CheckedValues> {
  const { pair, side, spec } = own;
  const templates = spec.configTemplate;
  const where = `${describeObject(pair[side])} spec.configTemplate`;
  const sources: OfferedValues[] = [
    own.named("configSecretName"),
    { source: "config", values: textsOf(spec.config) },
    {
      source: "configTemplate",
      values: templates ? renderValueTemplates(templates, configData(pair, side, maps), where) : [],
    },
    own.named("configConfigMapName"),
  ];
  const answer = await config?.(side, requestOf(seenBy(side, pair), maps), signal);
  if (answer) sources.push({ source: "apparatus /config", values: answeredValues(answer, Object.values(maps)) });
  return applyInterface(mergeSources(sources), pair.socket.spec.interface?.config?.[side], side, "config");
}

function requestOf({ plug, socket }: Pair, maps: Parameters<typeof configData>[2]): ConfigRequest {
  return {
    plug: viewOf(plug),
    socket: callView(socket),
    plugData: plainTexts(maps.plugData),
    socketData: plainTexts(maps.socketData),
    vars: plainTexts(maps.vars),
  };
}

/** An apparatus that received a secret may answer with it. */
function answeredValues(answer: JsonObject, told: readonly ResolvedMap[]): [string, OfferedValue][] {
  const isSecret = told.some((map) => [...map.values()].some((value) => value.isSecret));
  return Object.entries(answer).flatMap(([key, value]: [string, JsonValue]): [string, OfferedValue][] => {
    const text = valueText(value);
    return text === undefined ? [] : [[key, { value: text, isSecret }]];
  });
}

/**
 * Resolves the results of both sides, after the stage. For an object or a required result that is missing or empty, the plug
 * waits: it may appear late.
 */
export async function resolveResults(
  plug: Plug,
  socket: Socket,
  inputs: ResolvedInputs,
  reader: (side: Side) => SourceReader,
  answered: AnsweredResults,
  signal: AbortSignal,
): Promise<ResolvedResults | WaitingResults> {
  const pair = { plug, socket };
  const refs = listResultSources(pair);
  const found = await readSources(refs, reader, signal);
  const absent = missingObjects(pair, refs, found);
  if (absent) return { waiting: `${absent.where}: ${absent.what}` };
  const ofPlug = resultOf(new SideSources(pair, "plug", refs, found), inputs, reader("plug"), answered);
  const ofSocket = resultOf(new SideSources(pair, "socket", refs, found), inputs, reader("socket"), answered);
  const mistakes = [...ofPlug.mistakes, ...ofSocket.mistakes];
  if (mistakes.length > 0) {
    throw new InputError(mistakes.join("; "), {
      where: describeObject(plug),
      next: `the interface of ${describeObject(socket)} expects other values; correct their sources`,
    });
  }
  const missing = [...ofPlug.missing, ...ofSocket.missing];
  if (missing.length > 0) return { waiting: missing.join("; ") };
  return {
    plugResult: ofPlug.values,
    socketResult: ofSocket.values,
    dropped: [...ofPlug.dropped, ...ofSocket.dropped],
  };
}

function resultOf(
  own: SideSources,
  inputs: ResolvedInputs,
  reader: SourceReader,
  answered: AnsweredResults,
): CheckedValues {
  const { pair, side, spec } = own;
  const { plugData, socketData, plugConfig, socketConfig } = inputs;
  const templates = spec.resultTemplate;
  const where = `${describeObject(pair[side])} spec.resultTemplate`;
  const data = () => {
    const resultVars = own.vars("absent");
    reader.hold?.(resultVars);
    return resultTemplateData(pair, side, { plugData, socketData, plugConfig, socketConfig, resultVars });
  };
  const answers = [...(answered[side] ?? [])].map(
    ([key, value]) => [key, { value: value.reveal(), isSecret: true }] as const,
  );
  const values = mergeSources([
    { source: "apparatus", values: answers },
    own.named("resultSecretName"),
    { source: "result", values: textsOf(spec.result) },
    { source: "resultTemplate", values: templates ? renderValueTemplates(templates, data(), where) : [] },
    own.named("resultConfigMapName"),
  ]);
  return applyInterface(values, pair.socket.spec.interface?.result?.[side], side, "result");
}
