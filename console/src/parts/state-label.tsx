import type { ReactNode } from "react";
import type { ConsoleRow } from "../../../src/server/console/console-api.ts";

const marks = { person: "!", tenon: "…", nothing: "✓" } as const;
const meanings = { person: "needs a person", tenon: "Tenon is busy", nothing: "fine" } as const;

/** A state by word, mark and colour. */
export function StateLabel({ state, waitsOn }: Pick<ConsoleRow, "state" | "waitsOn">): ReactNode {
  return (
    <span className={`label label-${waitsOn}`} title={meanings[waitsOn]}>
      <span className="label-mark" aria-hidden="true">
        {marks[waitsOn]}
      </span>
      {state}
    </span>
  );
}
