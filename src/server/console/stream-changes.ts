import type { Clock } from "#base";
import type { ChangeEvent, ConsoleList } from "./console-api.ts";
import type { ConsoleSession } from "./session-book.ts";

/** How often a page hears that the connection is alive, and of problems. */
const beatMs = 5_000;
/** A page that does not read is cut off, and catches up when it comes back. */
const mostWaiting = 1_000;

export interface StreamOptions {
  readonly session: ConsoleSession;
  readonly lists: readonly ConsoleList[];
  /** Of the last event that the page has heard. */
  readonly lastId: string | undefined;
  /** Ends the session if the API server no longer accepts its credentials; called at each beat. */
  readonly check: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly request: AbortSignal;
}

/**
 * The changes of some lists as server-sent events. `reset` asks the page to read everything again; `beat` comes every few seconds
 * and carries the problem of the moment, if there is one.
 */
export function streamChanges({
  session: { person, ended },
  lists,
  lastId,
  check,
  clock,
  request,
}: StreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const over = AbortSignal.any([ended, request]);
  const stack = new DisposableStack();
  const isAsked = ({ list }: ChangeEvent): boolean => lists.includes(list);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const close = (): void => {
          stack.dispose();
          try {
            controller.close();
          } catch {
            // The browser has closed it.
          }
        };
        const send = (event: string, data: unknown, id = person.feed.id): void => {
          if ((controller.desiredSize ?? 0) < -mostWaiting) close();
          else controller.enqueue(encoder.encode(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
        };
        const beat = (): void => {
          const problems = lists.flatMap((list) => person.list(list).problem ?? []);
          send("beat", problems.length === 0 ? {} : { problem: problems[0] });
          // A watch goes on for minutes after its token was revoked.
          check(over).catch(() => {});
          // Rights, kinds and namespaces may have changed since; `problem` has what fails.
          for (const list of lists)
            person
              .list(list)
              .ready(over)
              .catch(() => {});
          stack.use(clock.after(beatMs, beat));
        };
        if (over.aborted) {
          close();
          return;
        }
        over.addEventListener("abort", close, { once: true });
        stack.defer(() => over.removeEventListener("abort", close));
        const missed = lastId === undefined ? [] : person.feed.since(lastId);
        if (missed === undefined) send("reset", {});
        for (const { id, change } of missed ?? []) if (isAsked(change)) send("change", change, id);
        stack.use(person.feed.subscribe((id, change) => isAsked(change) && send("change", change, id)));
        beat();
      },
      cancel: () => stack.dispose(),
    },
    { highWaterMark: 64 },
  );
}
