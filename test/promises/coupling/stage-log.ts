import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { valueAt } from "#base";
import type { StageCall } from "#coupling";

/** An entry of the log: a half of a stage begins or ends, as its apparatus sees it, or an operator was killed. */
export type Mark = HalfMark | typeof killed;

export const killed = { mark: "killed" } as const;

export interface HalfMark {
  readonly mark: "begins" | "ends";
  readonly stage: string;
  readonly side: string;
  /** Undefined where there is none. */
  readonly plug?: string | undefined;
  readonly socket?: string | undefined;
  /** Two stages of one kind and pairing differ in it. */
  readonly told: unknown;
}

/** As long as a half takes, so that what begins meanwhile is seen to. */
const halfMs = 5;

/** Makes no calls, and reports every half that begins and ends. */
export function loggingApparatus(note: (mark: HalfMark) => void) {
  return {
    config: async () => undefined,
    forget: () => {},
    async call({ stage, side, body }: StageCall, signal: AbortSignal): Promise<void> {
      const half = { stage, side, plug: uidOf(body["plug"]), socket: uidOf(body["socket"]), told: toldBy(body) };
      note({ mark: "begins", ...half });
      await sleep(halfMs, undefined, { signal });
      note({ mark: "ends", ...half });
    },
  };
}

function uidOf(object: unknown): string | undefined {
  const uid = valueAt(object, ["metadata", "uid"]);
  return typeof uid === "string" ? uid : undefined;
}

function toldBy({ plug, socket, plugConfig, socketConfig }: StageCall["body"]): unknown {
  const generations = [plug, socket].map((object) => valueAt(object, ["metadata", "generation"]));
  return JSON.parse(JSON.stringify({ generations, plugConfig, socketConfig }));
}

interface PlugLog {
  /** The halves that have begun, newest last, and how many kills there had been. */
  readonly begun: { readonly half: HalfMark; readonly kills: number; hasEnded: boolean }[];
  /** The socket whose `coupled` has begun, and whose `decoupled` has not. */
  on: string | undefined;
}

/**
 * What is wrong with the order in which halves were run: of one plug, none begins before the last has ended; the plug's half of a
 * stage comes before the socket's; every `coupled` is followed by one `decoupled` before the plug couples elsewhere or one of
 * the two is deleted; nothing of a pairing runs before or after it; and a stage is run again only if something has changed.
 * After a kill, the next operator repeats a half. A kill between the announcement of coupling and the coupling itself leaves a
 * pairing that is decoupled, because the next operator cannot know that it was never coupled.
 */
export function misorders(marks: readonly Mark[]): string[] {
  const problems: string[] = [];
  const plugs = new Map<string, PlugLog>();
  let kills = 0;
  for (const half of marks) {
    if (half.mark === "killed") {
      kills++;
      continue;
    }
    const { mark, stage, side, plug: uid, socket } = half;
    if (side === "socket" && stage === "deleted" && mark === "begins") {
      for (const [plug, { on }] of plugs) if (on === socket) problems.push(`${plug}: its socket is deleted under it`);
    }
    if (uid === undefined) continue;
    const plug: PlugLog = plugs.get(uid) ?? { begun: [], on: undefined };
    plugs.set(uid, plug);
    const last = plug.begun.at(-1);
    if (mark === "ends") {
      if (last) last.hasEnded = true;
      continue;
    }
    const wasKilled = last !== undefined && kills > last.kills;
    const wrong = wasKilled ? misorderAfterKill(half, plug) : misorder(half, plug);
    plug.begun.push({ half, kills, hasEnded: false });
    const trail = plug.begun.map((each) => `${each.half.stage} ${each.half.side} ${each.half.socket?.slice(0, 4)}`);
    if (wrong !== undefined) problems.push(`${uid.slice(0, 8)}: ${wrong}: ${trail.join(", ")}`);
    if (stage === "coupled") plug.on = socket;
    if (stage === "decoupled") plug.on = undefined;
  }
  return problems;
}

/** The problem with a half that begins now, if no operator was killed since the plug's last one. */
function misorder(half: HalfMark, plug: PlugLog): string | undefined {
  const { stage, side, socket } = half;
  const last = plug.begun.at(-1);
  if (last && !last.hasEnded) return "begins before the last has ended";
  const always = misorderAfterKill(half, plug);
  if (always !== undefined) return always;
  if (!last) return undefined;
  const isSame = (["stage", "side", "socket"] as const).every((field) => last.half[field] === half[field]);
  if (isSame) return "run twice";
  if (last.half.stage === "deleted") return "something after deleted";
  if (side === "socket" || stage === "deleted") return undefined;
  const isWhole = last.half.side === "socket" || ["created", "decoupled"].includes(last.half.stage);
  if (!isWhole) return "the socket's half is left out";
  if (stage === "coupled" && plug.on !== undefined) return "coupled again";
  if (stage === "decoupled" && plug.on !== socket) return "decoupled without being coupled";
  if (stage === "updated" && isDeepStrictEqual(last.half.told, half.told)) return "updated, and nothing has changed";
  return undefined;
}

/** The problem with a half even if the last one may not have ended, or the operator may not know that it has. */
function misorderAfterKill({ stage, side, socket }: HalfMark, { begun, on }: PlugLog): string | undefined {
  if (side === "socket") {
    const own = begun.findLast(({ half }) => half.side === "plug")?.half;
    const isSame = own?.stage === stage && own.socket === socket;
    return isSame ? undefined : "the socket's half without the plug's";
  }
  if (stage === "coupled" && on !== undefined && on !== socket) return "coupled without leaving";
  if (stage === "updated" && on !== socket) return "updated without being coupled";
  if (stage === "deleted" && on !== undefined) return "deleted while coupled";
  return undefined;
}
