import { useCallback, useEffect, useRef, useState } from "react";
import type { z } from "zod";
import type { ChangeEvent } from "../../src/server/console/console-api.ts";
import { callServer, ServerFailure } from "./call-server.ts";
import { onChanges } from "./live-changes.ts";

export interface Remote<Answer> {
  /** The last answer, also while the next one is on its way. */
  readonly answer: Answer | undefined;
  readonly failure: ServerFailure | undefined;
  readonly reload: () => void;
  /** Whether the answer is to this path, and no next one is on its way. */
  readonly isFresh: boolean;
}

interface RemoteState<Answer> {
  readonly path: string;
  readonly asked?: string;
  readonly answer?: Answer;
  readonly failure?: ServerFailure;
}

/** Changes that come together are answered by one request. */
const gatherMs = 250;
const retryMs = 3_000;

/** What the server answers to a path, read again when something changes that it is about; without `concerns`, when asked. */
export function useRemote<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  concerns: ((change: ChangeEvent) => boolean) | undefined,
): Remote<z.output<Schema>> {
  const [state, setState] = useState<RemoteState<z.output<Schema>>>({ path });
  const [turn, setTurn] = useState(0);
  const asked = `${turn} ${path}`;
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const isConcerned = useRef(concerns);
  isConcerned.current = concerns;

  useEffect(() => {
    const ending = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    callServer(path, schema, { signal: ending.signal }).then(
      (answer) => setState({ path, asked, answer }),
      (error: unknown) => {
        if (ending.signal.aborted) return;
        const failure = error instanceof ServerFailure ? error : new ServerFailure(0, String(error));
        setState((before) => (before.path === path ? { ...before, asked, failure } : { path, asked, failure }));
        if (failure.status === 0 || failure.status >= 500) retry = setTimeout(reload, retryMs);
      },
    );
    return () => {
      ending.abort();
      clearTimeout(retry);
    };
  }, [path, schema, asked, reload]);

  useEffect(() => {
    let gathering: ReturnType<typeof setTimeout> | undefined;
    const stop = onChanges((change) => {
      if (!isConcerned.current || (change !== "everything" && !isConcerned.current(change))) return;
      gathering ??= setTimeout(() => {
        gathering = undefined;
        reload();
      }, gatherMs);
    });
    return () => {
      stop();
      clearTimeout(gathering);
    };
  }, [reload]);

  return { answer: state.answer, failure: state.failure, reload, isFresh: state.asked === asked };
}
