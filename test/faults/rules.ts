import type { CutStyle } from "./delivery.ts";
import type { RequestView } from "./journal.ts";
import type { BodyPosition, Position } from "./position.ts";

/** Which requests a rule is for. It is asked once a request, on arrival: a stream already open is never affected. */
export interface Selection {
  /** Default: every request. */
  readonly match?: (request: RequestView) => boolean;
  /** How many requests it takes, whether or not they get as far as its position; default: no end. */
  readonly times?: number;
}

/** The proxy answers itself; the server never hears of the request. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Everything waits so long at `at` (default: before the request is passed on), and then goes on. */
export interface Delay {
  readonly milliseconds: number;
  readonly at?: Position;
}

/** Nothing more comes from `at` on (default: not even headers), until the rule is removed; then the rest follows. */
export interface Silence {
  readonly at?: Position;
}

/** The connection is cut at `at` (default: before the headers, so that the server has done the work and the client does not see it). */
export interface Cut {
  readonly at?: Position;
  readonly style?: CutStyle;
}

/** One more line appears in the body at `at` (default: before the first); `end` finishes the body after it. */
export interface Inject {
  readonly line: string;
  readonly at?: BodyPosition;
  readonly end?: boolean;
}

export type Rule = Selection &
  (
    | (Answer & { readonly kind: "answer" })
    | (Delay & { readonly kind: "delay" })
    | (Silence & { readonly kind: "silence" })
    | (Cut & { readonly kind: "cut" })
    | (Inject & { readonly kind: "inject" })
  );

/** A rule in force. Removing it also sends what its silence holds back; `using` removes it at the end of a block. */
export interface RuleHandle extends Disposable {
  /** Requests it has taken. */
  readonly used: number;
  /** Resolves when the first of them is where the rule acts: with `at: "headers"`, the server has handled it. */
  readonly reached: Promise<void>;
  remove(): void;
}

/** A rule that has taken a request. */
export interface TakenRule {
  readonly rule: Rule;
  readonly at: Position;
  /** Aborted when the rule is removed by the test. */
  readonly removed: AbortSignal;
  /** The request is where the rule acts. */
  readonly reach: () => void;
}

export interface Rules {
  add(rule: Rule): RuleHandle;
  /** The first rule that matches, in the order they were added. It alone acts on the request. */
  take(request: RequestView): TakenRule | undefined;
  removeAll(): void;
}

export function openRules(): Rules {
  interface Entry {
    readonly rule: Rule;
    readonly removal: AbortController;
    readonly reach: PromiseWithResolvers<void>;
    used: number;
  }
  const inForce = new Set<Entry>();

  return {
    add(rule) {
      const entry = { rule, removal: new AbortController(), reach: Promise.withResolvers<void>(), used: 0 };
      inForce.add(entry);
      const remove = () => {
        inForce.delete(entry);
        entry.removal.abort();
      };
      return {
        get used() {
          return entry.used;
        },
        reached: entry.reach.promise,
        remove,
        [Symbol.dispose]: remove,
      };
    },
    take(request) {
      for (const entry of inForce) {
        const { rule, removal, reach, used } = entry;
        const isUsedUp = rule.times !== undefined && used >= rule.times;
        if (isUsedUp || rule.match?.(request) === false) continue;
        entry.used += 1;
        return { rule, at: positionOf(rule), removed: removal.signal, reach: reach.resolve };
      }
      return undefined;
    },
    removeAll() {
      for (const { removal } of inForce) removal.abort();
      inForce.clear();
    },
  };
}

const defaultPosition = { delay: "request", silence: "headers", cut: "headers", inject: {} } as const;

function positionOf(rule: Rule): Position {
  return rule.kind === "answer" ? "request" : (rule.at ?? defaultPosition[rule.kind]);
}
