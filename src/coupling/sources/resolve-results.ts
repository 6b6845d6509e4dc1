import { InputError } from "#base";
import type { Side } from "../kinds/names.ts";
import { describeObject } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import { applyInterface, type CheckedValues } from "./apply-interface.ts";
import { listResultSources, missingObjects, readSources } from "./read-sources.ts";
import {
  type AnsweredResults,
  mergeSources,
  type ResolvedInputs,
  type ResolvedResults,
  type SourceReader,
  textsOf,
  type WaitingResults,
} from "./resolved.ts";
import { SideSources } from "./side-sources.ts";
import { renderValueTemplates, resultTemplateData } from "./template-data.ts";

/**
 * The results of both sides, after the stage. An object or a required result that is not there, or is empty, is waited for:
 * whatever makes it may need its time.
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
    return resultTemplateData(pair, { plugData, socketData, plugConfig, socketConfig, resultVars });
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
