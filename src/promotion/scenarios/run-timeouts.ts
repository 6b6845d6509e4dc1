import { isRecord } from "#base";
import { formatGoDuration, parseGoDuration } from "#golang";
import { promotionAnnotations } from "../kinds/promotion-names.ts";

/** How long a run and its parts may take, in nanoseconds. */
export interface RunTimeouts {
  readonly pipeline?: bigint;
  readonly tasks?: bigint;
  readonly finally?: bigint;
}

export interface ChosenTimeouts {
  readonly timeouts: RunTimeouts;
  /** Values that are not durations, and are ignored. */
  readonly problems: readonly string[];
}

const sources = {
  pipeline: { variable: "PIPELINE_TIMEOUT", annotation: promotionAnnotations.pipelineTimeout },
  tasks: { variable: "TASKS_TIMEOUT", annotation: promotionAnnotations.tasksTimeout },
  finally: { variable: "FINALLY_TIMEOUT", annotation: promotionAnnotations.finallyTimeout },
} as const;

type Part = keyof typeof sources;
const parts: readonly Part[] = ["pipeline", "tasks", "finally"];

/** The environment variables in which integration-service gets the defaults. */
export function timeoutsOf(env: Readonly<Record<string, string | undefined>>): ChosenTimeouts {
  return choose({}, (part) => [sources[part].variable, env[sources[part].variable]]);
}

/** The defaults, overridden by a scenario's annotations. The whole run is never shorter than its parts together. */
export function chooseTimeouts(
  defaults: RunTimeouts,
  annotations: Readonly<Record<string, string | undefined>>,
): ChosenTimeouts {
  const { timeouts, problems } = choose(defaults, (part) => [
    `annotation ${sources[part].annotation}`,
    annotations[sources[part].annotation],
  ]);
  const { pipeline, tasks = 0n, finally: last = 0n } = timeouts;
  const isTooShort = pipeline !== undefined && tasks + last > pipeline;
  return { timeouts: isTooShort ? { ...timeouts, pipeline: tasks + last } : timeouts, problems };
}

/** Those of a `timeouts` field, as plans and admissions have it. */
export function parseTimeouts(given: unknown): ChosenTimeouts {
  return choose({}, (part) => {
    const text = isRecord(given) ? given[part] : undefined;
    return [`timeouts.${part}`, typeof text === "string" ? text : undefined];
  });
}

/** As `spec.timeouts` of a PipelineRun has it; undefined if there is nothing to say. */
export function formatTimeouts(timeouts: RunTimeouts): Readonly<Partial<Record<Part, string>>> | undefined {
  const given = parts.flatMap((part) => {
    const duration = timeouts[part];
    return duration === undefined ? [] : [[part, formatGoDuration(duration)] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function choose(
  defaults: RunTimeouts,
  read: (part: Part) => readonly [where: string, text: string | undefined],
): ChosenTimeouts {
  const problems: string[] = [];
  const chosen: [Part, bigint][] = [];
  for (const part of parts) {
    const [where, text] = read(part);
    const duration = text === undefined || text === "" ? undefined : parse(text);
    if (text !== undefined && text !== "" && duration === undefined) {
      problems.push(`${where}: ${JSON.stringify(text)} is not a valid duration; write it like 2h or 30m`);
    }
    const effective = duration ?? defaults[part];
    if (effective !== undefined) chosen.push([part, effective]);
  }
  return { timeouts: Object.fromEntries(chosen), problems };
}

function parse(text: string): bigint | undefined {
  try {
    const duration = parseGoDuration(text);
    return duration >= 0n ? duration : undefined;
  } catch {
    return undefined;
  }
}
