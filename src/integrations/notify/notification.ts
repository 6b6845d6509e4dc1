import { compareText, redact } from "#base";
import { type ActionKind, isFailure } from "#inventory";
import type { ManagedRun } from "../manage/managed-run.ts";

/** What a webhook can get. */
export const notificationEvents = ["applied", "failed", "heldBack"] as const;
export type NotificationEvent = (typeof notificationEvents)[number];

/** The body of a webhook; documented in docs/how-to/get-notified.md, and API. */
export interface Notification {
  readonly version: 1;
  readonly event: NotificationEvent;
  /** Of `failed` and `heldBack`: whether it is new, has changed, or is over. */
  readonly state?: "started" | "changed" | "ended" | undefined;
  /** One sentence for people, as chat programs show it. */
  readonly text: string;
  readonly at: string;
  readonly by: string;
  readonly why: string;
  readonly data?:
    | { readonly location: string; readonly bundle: string; readonly commit?: string | undefined }
    | undefined;
  readonly plan?: string | undefined;
  /** Of `applied`: what was done. */
  readonly changes: readonly NotifiedChange[];
  /** Of `failed` and `heldBack`: all that there are now. */
  readonly problems: readonly Problem[];
  /** How many changes or problems are not listed. */
  readonly omitted?: number | undefined;
}

export interface NotifiedChange {
  readonly action: ActionKind;
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly integration?: string | undefined;
}

/** Something that keeps the clusters from being as the data says. */
export interface Problem {
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly integration?: string | undefined;
  readonly what: string;
  readonly next?: string | undefined;
}

export interface NotificationContext {
  readonly at: Date;
  readonly by: string;
  readonly location: string;
}

const mostListed = 100;
const longestText = 1_000;

/** The problems that are known, by their events, from run to run. */
export type KnownProblems = Readonly<Record<"failed" | "heldBack", readonly Problem[]>>;

export const noProblems: KnownProblems = { failed: [], heldBack: [] };

/**
 * What a notification says of a run: what it did, and problems that are new, have changed or are over. A problem that goes on is not
 * told again.
 */
export function notificationsOf(
  run: ManagedRun,
  known: KnownProblems,
  context: NotificationContext,
): { readonly notifications: readonly Notification[]; readonly known: KnownProblems } {
  if (run.isDryRun) return { notifications: [], known };
  const now = problemsAfter(run, known);
  const changes = changesOf(run);
  const about = {
    version: 1,
    at: context.at.toISOString(),
    by: context.by,
    why: run.why,
    data: run.data && { location: context.location, bundle: run.data.identity, commit: run.data.commit },
    plan: run.plan?.id,
  } as const;
  const notifications: Notification[] = [];
  if (changes.length > 0) {
    notifications.push({
      ...about,
      event: "applied",
      text: shorten(`tenon: ${describeChanges(changes)}`),
      changes: changes.slice(0, mostListed),
      problems: [],
      omitted: omittedOf(changes),
    });
  }
  for (const event of ["failed", "heldBack"] as const) {
    const state = stateOf(known[event], now[event]);
    if (state === undefined) continue;
    const problems = now[event];
    notifications.push({
      ...about,
      event,
      state,
      text: shorten(`tenon: ${describeProblems(event, problems)}`),
      changes: [],
      problems: problems.slice(0, mostListed),
      omitted: omittedOf(problems),
    });
  }
  return { notifications, known: now };
}

/** A run that looked at one namespace says nothing about the others, and one that had nothing to plan only that the data is readable. */
function problemsAfter(run: ManagedRun, known: KnownProblems): KnownProblems {
  const { plan, error, why } = run;
  const ofData = error === undefined ? [] : [{ what: error }];
  if (!plan) return { ...known, failed: [...known.failed.filter((one) => !isOfData(one)), ...ofData] };
  const [, cluster, namespace] = /^([^/]+)\/(.+)$/.exec(why) ?? [];
  const isElsewhere = (one: Problem): boolean =>
    cluster !== undefined && (one.cluster !== cluster || one.namespace !== namespace);
  const merge = (before: readonly Problem[], found: readonly Problem[]): Problem[] => {
    const all = [...before.filter(isElsewhere), ...found];
    return [...new Map(all.map((one) => [keyOf(one), one])).values()].toSorted((one, other) =>
      compareText(keyOf(one), keyOf(other)),
    );
  };
  const integrations = new Map(plan.actions.map((action) => [objectKey(action), action.attribution]));
  const errors = plan.errors.map(({ cluster: on, namespace: within, attribution, what, next }) => {
    return { cluster: on, namespace: within, integration: attribution, what, next };
  });
  const failures = run.outcomes.filter(isFailure).map((outcome) => {
    const { cluster: on, namespace: within, kind, name, action, reason = "failed", next } = outcome;
    const integration = integrations.get(objectKey(outcome));
    return { cluster: on, namespace: within, kind, name, integration, what: `${action}: ${reason}`, next };
  });
  const refusals = plan.refusals.map(({ cluster: on, namespace: within, kind, name, action, reason, next }) => {
    return { cluster: on, namespace: within, kind, name, what: `${action}: ${reason}`, next };
  });
  return {
    failed: merge(known.failed, [...errors, ...failures, ...ofData]),
    heldBack: merge(known.heldBack, refusals),
  };
}

function isOfData({ cluster, namespace, integration }: Problem): boolean {
  return cluster === undefined && namespace === undefined && integration === undefined;
}

function stateOf(before: readonly Problem[], now: readonly Problem[]): Notification["state"] {
  const [was, is] = [before, now].map((problems) => problems.map(keyOf).toSorted().join("\n"));
  if (was === is) return undefined;
  if (now.length === 0) return "ended";
  return before.length === 0 ? "started" : "changed";
}

function changesOf({ outcomes, plan }: ManagedRun): NotifiedChange[] {
  const integrations = new Map((plan?.actions ?? []).map((action) => [objectKey(action), action.attribution]));
  return outcomes
    .filter(({ state }) => state === "done")
    .map((outcome) => {
      const { action, cluster, namespace, kind, name } = outcome;
      return { action, cluster, namespace, kind, name, integration: integrations.get(objectKey(outcome)) };
    });
}

const words: Readonly<Record<ActionKind, string>> = {
  create: "created",
  update: "updated",
  adopt: "adopted",
  replace: "replaced",
  delete: "deleted",
};

function describeChanges(changes: readonly NotifiedChange[]): string {
  const counts = Map.groupBy(changes, ({ action }) => words[action]);
  const sum = [...counts].map(([word, all]) => `${all.length} ${word}`).join(", ");
  const names = [...new Set(changes.flatMap(({ integration }) => integration ?? []))].toSorted(compareText);
  return `${sum}${names.length === 0 ? "" : ` (${names.join(", ")})`}`;
}

function describeProblems(event: "failed" | "heldBack", problems: readonly Problem[]): string {
  if (problems.length === 0) return event === "failed" ? "no more failures" : "nothing is held back any more";
  const lines = problems.map(({ cluster, namespace, kind, name, integration, what }) => {
    const place = [cluster, namespace].filter(Boolean).join("/");
    const about = [place, kind, name ?? integration].filter(Boolean).join(" ");
    return about === "" ? what : `${about}: ${what}`;
  });
  return `${problems.length} ${event === "failed" ? "failed" : "held back"}: ${lines.join("; ")}`;
}

function shorten(text: string): string {
  const masked = redact(text);
  return masked.length <= longestText ? masked : `${masked.slice(0, longestText)}…`;
}

function omittedOf(list: readonly unknown[]): number | undefined {
  return list.length > mostListed ? list.length - mostListed : undefined;
}

/** Servers put counts, durations and versions into their messages, and the problem is still the same. */
function keyOf({ cluster, namespace, kind, name, integration, what }: Problem): string {
  return JSON.stringify([cluster, namespace, kind, name, integration, what.replaceAll(/\d+/g, "#")]);
}

function objectKey({ cluster, namespace, kind, name }: Omit<NotifiedChange, "action">): string {
  return JSON.stringify([cluster, namespace, kind, name]);
}
