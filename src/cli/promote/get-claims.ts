import { formatDuration, systemClock } from "#base";
import { type ClaimView, EphemeralClaim, viewClaim } from "#promotion";
import { findObjects, type GetCoupledChoice, inNamespace } from "../couple/get-coupled.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import type { Column } from "../terminal/format-table.ts";
import { printRows } from "../terminal/print-rows.ts";
import { claimColours } from "./state-colours.ts";

/** `tenon get claims`: what failed first, then the newest. */
export async function getClaims(name: string | undefined, choice: GetCoupledChoice, shell: Shell): Promise<void> {
  const rows = (await findObjects(EphemeralClaim, name, choice, shell))
    .map(viewClaim)
    .toSorted((one, other) => rankOf(one) - rankOf(other) || (one.created < other.created ? 1 : -1));
  const now = systemClock.now();
  const columns: Column<ClaimView>[] = [
    { header: "namespace", value: ({ namespace }) => namespace, keep: "all" },
    { header: "claim", value: ({ claim }) => claim, keep: "all" },
    { header: "class", value: ({ className }) => className },
    { header: "phase", value: ({ phase }) => phase, colour: ({ phase }) => claimColours[phase], keep: "all" },
    { header: "environment", value: ({ environment }) => environment },
    { header: "owner", value: ({ owner }) => owner },
    { header: "age", value: ({ created }) => describeAge(created, now) },
    { header: "ends in", value: (row) => timeLeft(row, now) },
    {
      header: "why",
      value: ({ message }) => message,
      below: ({ message }) => (message === undefined ? [] : [message]),
    },
    {
      header: "what to do",
      value: ({ next }) => next,
      below: ({ next }) => (next === undefined ? [] : [`next: ${next}`]),
    },
  ];
  await printRows({ rows, columns, whenEmpty: `no claims${inNamespace(choice)}` }, choice.output, shell);
}

function rankOf({ phase }: ClaimView): number {
  return phase === "Failed" ? 0 : 1;
}

function timeLeft({ phase, expiresAt }: ClaimView, now: number): string | undefined {
  if (expiresAt === undefined || phase === "Released" || phase === "Failed") return undefined;
  return formatDuration(Date.parse(expiresAt) - now);
}
