import { Failure, SessionAnswer } from "../../src/server/console/console-api.ts";
import type { z } from "zod";

/** The server refused, or did not answer (status 0). */
export class ServerFailure extends Error {
  readonly status: number;
  readonly next: string | undefined;

  constructor(status: number, message: string, next?: string) {
    super(message);
    this.status = status;
    this.next = next;
  }
}

/** Sends a request, and checks that the answer is what both sides agreed on. */
export async function callServer<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  { method = "GET", body, signal }: { method?: string; body?: unknown; signal?: AbortSignal } = {},
): Promise<z.output<Schema>> {
  const answer = await fetch(path, {
    method,
    credentials: "same-origin",
    ...(signal ? { signal } : {}),
    ...(method === "GET" ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body ?? {}) }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ServerFailure(
      0,
      "The console does not answer.",
      "Is `tenon console` still running? The page tries again.",
    );
  });
  const content: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) {
    const read = schema.safeParse(content);
    if (read.success) return read.data;
    throw new ServerFailure(
      answer.status,
      "The page and the console are of different versions.",
      "Load the page again.",
    );
  }
  const failure = Failure.safeParse(content);
  throw new ServerFailure(
    answer.status,
    failure.success ? failure.data.error : `The console answered ${answer.status}.`,
    failure.success ? failure.data.next : undefined,
  );
}

export async function logIn(login: { link: string } | { token: string }): Promise<SessionAnswer> {
  return await callServer("/api/session", SessionAnswer, { method: "POST", body: login });
}
