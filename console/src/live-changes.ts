import { useEffect, useState } from "react";
import { z } from "zod";
import { ChangeEvent, consoleLists } from "../../src/server/console/console-api.ts";

export type LiveState =
  | { readonly kind: "live" }
  | { readonly kind: "connecting" }
  | { readonly kind: "broken"; readonly why: string };

const Beat = z.object({ problem: z.string().optional() });
/** A beat comes every 5 s. */
const silenceMs = 12_000;
const retryMs = 2_000;

type ChangeListener = (change: ChangeEvent | "everything") => void;
const listeners = new Set<ChangeListener>();

/** Hears what changed, or that anything may have. */
export function onChanges(listener: ChangeListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function announce(change: ChangeEvent | "everything"): void {
  for (const listener of listeners) listener(change);
}

/**
 * Follows the changes of the cluster for as long as the page is open. A stream that breaks, and a page that slept, make
 * everything be read again.
 */
export function useLiveChanges(): LiveState {
  const [state, setState] = useState<LiveState>({ kind: "connecting" });
  useEffect(() => {
    let source: EventSource | undefined;
    let silence: ReturnType<typeof setTimeout> | undefined;
    // What changed between the first answer and the first beat is in neither.
    let isMissing = true;

    function connect(): void {
      source?.close();
      source = new EventSource(`/api/changes?lists=${consoleLists.join(",")}`);
      source.addEventListener("beat", (event) => {
        hear();
        const beat = Beat.safeParse(parse(event.data));
        const problem = beat.success ? beat.data.problem : undefined;
        setState((before) => {
          if (problem !== undefined) return { kind: "broken", why: problem };
          return before.kind === "live" ? before : { kind: "live" };
        });
        if (isMissing) announce("everything");
        isMissing = false;
      });
      source.addEventListener("reset", () => announce("everything"));
      source.addEventListener("change", (event) => {
        hear();
        const change = ChangeEvent.safeParse(parse(event.data));
        if (change.success) announce(change.data);
      });
      source.addEventListener("error", () => lose("The connection to the console is broken; trying again."));
      hear();
    }

    function hear(): void {
      clearTimeout(silence);
      silence = setTimeout(() => lose("The console is silent; trying again."), silenceMs);
    }

    function lose(why: string): void {
      isMissing = true;
      setState({ kind: "broken", why });
      clearTimeout(silence);
      silence = setTimeout(connect, retryMs);
    }

    /** After a sleep the stream may look alive and be dead. */
    function wake(): void {
      if (document.visibilityState === "visible") announce("everything");
    }

    connect();
    document.addEventListener("visibilitychange", wake);
    document.addEventListener("resume", wake);
    return () => {
      source?.close();
      clearTimeout(silence);
      document.removeEventListener("visibilitychange", wake);
      document.removeEventListener("resume", wake);
    };
  }, []);
  return state;
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
