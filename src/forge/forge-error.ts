import type { z } from "zod";
import { InputError, QuotingError } from "#base";

/** The forge failed or asks to wait; another attempt may succeed. What the user must change is an `InputError`. */
export class ForgeError extends QuotingError {
  readonly status: number | undefined;
  /** How long the forge asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(what: string, details: { status?: number; retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(what, details.cause === undefined ? {} : { cause: details.cause });
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }

  override get name(): string {
    return "ForgeError";
  }
}

/** An answer of a forge, as far as it says what went wrong. */
export interface ForgeAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** What a call needed, for messages. */
export interface ForgeCall {
  /** The repository, as `https://host/owner/name`. */
  readonly where: string;
  /** What was to be done, such as `open a pull request`. */
  readonly what: string;
  /** The right that it needs, in the forge's words. */
  readonly right: string;
}

/** The error of an answer that a call cannot use. `now` is in milliseconds since 1970. */
export function explainAnswer({ where, what, right }: ForgeCall, answer: ForgeAnswer, now: number): Error {
  const { status, headers } = answer;
  const said = `${status}${quote(answer.text)}`;
  const retryAfterMs = waitOf(answer, now);
  const isLimited = status === 429 || (status === 403 && retryAfterMs !== undefined);
  if (isLimited || status >= 500 || status === 408 || status === 409) {
    return new ForgeError(`${where}: cannot ${what}: the forge answers ${said}`, { status, retryAfterMs });
  }
  if (status >= 300 && status < 400) {
    const target = headers["location"] ?? "";
    const moved = URL.canParse(target) ? ` to ${new URL(target).origin}${new URL(target).pathname}` : "";
    const next = "give Tenon the address that the repository has now; a token is not sent where a redirect leads";
    return new InputError(`cannot ${what}: the forge redirects${moved}`, { where, next });
  }
  const next =
    status === 401
      ? "the token is not valid any more: give Tenon a new one"
      : status === 403
        ? `give the token the right to ${right}`
        : status === 404
          ? `check the repository's address, and that the token has the right to ${right}; a forge hides what it may not read`
          : "check the settings that the forge names";
  return new InputError(`cannot ${what}: the forge answers ${said}`, { where, next });
}

/** An answer as the forge documents it. Another one is an error of the forge, or of something in between. */
export function readAnswer<Shape extends z.ZodType>(
  shape: Shape,
  answer: unknown,
  { where, what }: ForgeCall,
): z.infer<Shape> {
  const { data, error } = shape.safeParse(answer);
  if (!error) return data;
  const field = error.issues[0]?.path.join(".") ?? "";
  throw new ForgeError(`${where}: cannot ${what}: the answer is not as documented, at "${field}"`);
}

const longestWaitMs = 60 * 60_000;
/** What GitHub asks for where a limit names no time. */
const unnamedWaitMs = 60_000;

/** How long the forge asks to wait: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
function waitOf({ status, headers, text }: ForgeAnswer, now: number): number | undefined {
  const after = headers["retry-after"];
  if (after !== undefined) {
    const seconds = Number(after);
    const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(after) - now;
    return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), longestWaitMs) : undefined;
  }
  const remaining = headers["x-ratelimit-remaining"] ?? headers["ratelimit-remaining"];
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"]);
  if (remaining !== "0" || !Number.isFinite(reset)) {
    return status === 403 && /\brate limit\b/i.test(text) ? unnamedWaitMs : undefined;
  }
  return Math.min(Math.max(reset * 1_000 - now, 1_000), longestWaitMs);
}

/** The forge's own sentence, at most a line. */
function quote(text: string): string {
  let said = text;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) {
      const parts = ["message", "error", "errors"].flatMap((key) => {
        const part: unknown = Reflect.get(value, key);
        return part === undefined || part === null ? [] : [typeof part === "string" ? part : JSON.stringify(part)];
      });
      said = parts.join(": ");
    }
  } catch {
    // A proxy in between answers with a page.
    said = text.startsWith("<") ? "" : text;
  }
  const line = said.replaceAll(/\s+/g, " ").trim().slice(0, 300);
  return line === "" ? "" : ` ${line}`;
}
