import { z } from "zod";
import type { Shell } from "../shell.ts";
import { paint } from "../terminal/paint.ts";
import { paintPlan } from "../terminal/paint-plan.ts";
import { safeText } from "../terminal/visible-text.ts";

const Line = z.looseObject({
  level: z.string(),
  time: z.string().optional(),
  msg: z.string().default(""),
  job: z.string().optional(),
  /** A write to a cluster: the verb, perhaps `privileged=False`, cluster, namespace, kind and name. */
  line: z.array(z.string()).optional(),
  /** Several lines, such as a plan. */
  text: z.string().optional(),
  next: z.string().optional(),
});

/** A destination of a logger that prints its JSON lines for people: the time, the job, what happened, and then its details. */
export function readableLog({ stderr, env }: Pick<Shell, "stderr" | "env">): { write(line: string): void } {
  return {
    write(line) {
      const read = Line.safeParse(JSON.parse(line));
      if (!read.success) {
        stderr.write(line);
        return;
      }
      const { level, time, msg, job, line: write, text, next, ...fields } = read.data;
      const severity =
        level === "error"
          ? `${paint("red", "error", stderr, env)}: `
          : level === "warn"
            ? `${paint("yellow", "warning", stderr, env)}: `
            : "";
      // A plan says itself what changes.
      const told = text === undefined && write === undefined ? Object.entries(fields) : [];
      const details = told.map(([name, value]) => `${name} ${textOf(value)}`);
      if (fields["dryRun"] === true && told.length === 0) details.push("nothing is changed: dry run");
      const head = [time === undefined ? "" : clockTime(time), job ?? ""].filter(Boolean).join("  ");
      const what = [write === undefined ? msg : describeWrite(write), ...details].map(safeText).join(", ");
      stderr.write(`${head === "" ? "" : `${head}  `}${severity}${what}\n`);
      if (text !== undefined) stderr.write(`${indent(paintPlan(text.trim(), stderr, env))}\n`);
      if (next !== undefined) stderr.write(`    next: ${safeText(next)}\n`);
    },
  };
}

/** As a plan names objects: `apply c1/n1 Deployment a`. */
function describeWrite([verb = "", ...words]: readonly string[]): string {
  const [cluster = "", namespace = "", ...object] = words.filter((word) => !word.startsWith("privileged="));
  return [verb, `${cluster}/${namespace}`, ...object].join(" ");
}

/** As the clock of the user's machine shows it. */
function clockTime(time: string): string {
  return new Date(time).toTimeString().slice(0, "00:00:00".length);
}

/** Of an error its message: the stack is for developers, who read JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join(" ");
  if (typeof value === "object" && value !== null && "message" in value) return textOf(value.message);
  return JSON.stringify(value);
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "    ");
}
