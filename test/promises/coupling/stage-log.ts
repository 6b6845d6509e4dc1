import { valueAt } from "#base";

/** One half of a stage that was run, as an apparatus is told of it. */
export interface RunHalf {
  readonly stage: string;
  readonly side: string;
  readonly body: unknown;
}

/** Stands in the log where an operator was killed. */
export const killed: RunHalf = { stage: "killed", side: "", body: {} };

/**
 * What is wrong with the order in which a plug's halves were run: every `coupled` is followed by its `decoupled` before the plug
 * couples elsewhere or is deleted, and nothing of a pairing runs before or after it. A half may be repeated: whoever was
 * killed does it again. And who was killed between saying that it couples and coupling leaves a pairing that is decoupled,
 * because nobody can tell that it was never coupled.
 */
export function misorders(halves: readonly RunHalf[]): string[] {
  const problems: string[] = [];
  const plugs = new Map<string, { on: string | undefined; isDeleted: boolean; kills: number; trail: string[] }>();
  let kills = 0;
  for (const { stage, side, body } of halves) {
    if (stage === killed.stage) kills++;
    if (side !== "plug") continue;
    const uid = String(valueAt(body, ["plug", "metadata", "uid"]));
    const socket = String(valueAt(body, ["socket", "metadata", "uid"]));
    const plug = plugs.get(uid) ?? { on: undefined, isDeleted: false, kills, trail: [] };
    plugs.set(uid, plug);
    plug.trail.push(`${stage} ${socket.slice(0, 4)}`);
    const complain = (what: string): void => {
      problems.push(`${uid.slice(0, 8)}: ${what}: ${plug.trail.join(", ")}`);
    };
    // Killed before it could let the plug go, whoever comes next does all of it again.
    if (plug.isDeleted && stage !== "deleted" && kills === plug.kills) complain("something after deleted");
    if (stage === "coupled") {
      if (plug.on !== undefined && plug.on !== socket) complain("coupled without leaving");
      plug.on = socket;
    } else if (stage === "updated") {
      if (plug.on !== socket) complain("updated without being coupled");
    } else if (stage === "decoupled") {
      const isRepeated = plug.trail.at(-2) === plug.trail.at(-1);
      const wasKilled = plug.on === undefined && kills > plug.kills;
      if (plug.on !== socket && !isRepeated && !wasKilled) complain("decoupled without being coupled");
      plug.on = undefined;
    } else if (stage === "deleted") {
      if (plug.on !== undefined) complain("deleted while coupled");
      plug.isDeleted = true;
    }
    plug.kills = kills;
  }
  return problems;
}
