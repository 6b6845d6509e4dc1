import { InputError, type JsonObject, type JsonValue } from "#base";
import type { MissingRead } from "#template";
import { describeObject, type Pair, type Plug, type Side, type Socket } from "../kinds/index.ts";
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
import { emptyReadsOf, type EmptyValue } from "./empty-values.ts";
import { atSide, doneFor } from "./failed-side.ts";
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
  /** Who must solve the first of them. */
  readonly problemSide: Side;
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
  const examined = await examineInputs(plug, socket, reader, hooks, signal);
  const { problems, problemSide, unanswered: _, ...inputs } = examined;
  if (problems.length === 0) return inputs;
  return atSide(problemSide)(
    new InputError(problems.join("; "), {
      where: describeObject(plug),
      next: `the interface of ${describeObject(socket)} requires it; add the missing keys to a source of that side, and correct the others`,
    }),
  );
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
  const absent = missingObjects(pair, refs, found);
  if (absent) return atSide(absent.side)(absent.error);
  const ofPlug = new SideSources(pair, "plug", refs, found);
  const ofSocket = new SideSources(pair, "socket", refs, found);
  const data = { plugData: ofPlug.data(), socketData: ofSocket.data() };
  const isUnasked = ({ spec }: Plug | Socket): boolean => spec.apparatus !== undefined && hooks.config === undefined;
  const empty: EmptyValue[] = [];
  const noteEmpty = (value: EmptyValue): void => void empty.push(value);
  const plugVars = doneFor("plug", () => ofPlug.vars("empty", noteEmpty));
  const socketVars = doneFor("socket", () => ofSocket.vars("empty", noteEmpty));
  reader("plug").hold?.(plugVars);
  reader("socket").hold?.(socketVars);
  const plugConfig = await configOf(ofPlug, { ...data, vars: plugVars }, noteEmpty, hooks, signal).catch(
    atSide("plug"),
  );
  const socketConfig = await configOf(ofSocket, { ...data, vars: socketVars }, noteEmpty, hooks, signal).catch(
    atSide("socket"),
  );
  const problemsOf = ({ missing, mistakes }: CheckedValues, owner: Plug | Socket): readonly string[] =>
    isUnasked(owner) ? mistakes : [...missing, ...mistakes];
  const ofPlugConfig = problemsOf(plugConfig, plug);
  return {
    ...data,
    plugVars,
    socketVars,
    plugConfig: plugConfig.values,
    socketConfig: socketConfig.values,
    dropped: [...plugConfig.dropped, ...socketConfig.dropped],
    empty,
    problems: [...ofPlugConfig, ...problemsOf(socketConfig, socket)],
    problemSide: ofPlugConfig.length > 0 ? "plug" : "socket",
    unanswered: [isUnasked(plug) ? plugConfig.missing : [], isUnasked(socket) ? socketConfig.missing : []].flat(),
  };
}

async function configOf(
  own: SideSources,
  maps: { readonly plugData: ResolvedMap; readonly socketData: ResolvedMap; readonly vars: ResolvedMap },
  onEmpty: (value: EmptyValue) => void,
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
      values: templates
        ? renderValueTemplates(templates, configData(pair, side, maps), where, (reads) =>
            emptyReadsOf(reads, pair, side).forEach(onEmpty),
          )
        : [],
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
  if (absent) return { waiting: `${absent.error.where}: ${absent.error.what}` };
  const empty: EmptyValue[] = [];
  const resultsOf = (side: Side): CheckedValues => {
    const onMissing = (reads: readonly MissingRead[]): void => void empty.push(...emptyReadsOf(reads, pair, side));
    const own = new SideSources(pair, side, refs, found);
    return doneFor(side, () => resultOf(own, inputs, reader(side), answered, onMissing));
  };
  const [ofPlug, ofSocket] = [resultsOf("plug"), resultsOf("socket")];
  const mistakes = [...ofPlug.mistakes, ...ofSocket.mistakes];
  if (mistakes.length > 0) {
    const error = new InputError(mistakes.join("; "), {
      where: describeObject(plug),
      next: `the interface of ${describeObject(socket)} expects other values; correct their sources`,
    });
    return atSide(ofPlug.mistakes.length > 0 ? "plug" : "socket")(error);
  }
  const missing = [...ofPlug.missing, ...ofSocket.missing];
  if (missing.length > 0) return { waiting: missing.join("; ") };
  return {
    plugResult: ofPlug.values,
    socketResult: ofSocket.values,
    dropped: [...ofPlug.dropped, ...ofSocket.dropped],
    empty,
  };
}

function resultOf(
  own: SideSources,
  inputs: ResolvedInputs,
  reader: SourceReader,
  answered: AnsweredResults,
  onMissing: (reads: readonly MissingRead[]) => void,
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
    { source: "resultTemplate", values: templates ? renderValueTemplates(templates, data(), where, onMissing) : [] },
    own.named("resultConfigMapName"),
  ]);
  return applyInterface(values, pair.socket.spec.interface?.result?.[side], side, "result");
}
