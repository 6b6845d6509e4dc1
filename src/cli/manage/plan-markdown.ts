import { redact } from "#base";
import { type Action, type ActionKind, describePlan, groupRefusals, type Plan, sumUp } from "#inventory";
import { formatMarkdown } from "../terminal/format-markdown.ts";

const kinds: readonly ActionKind[] = ["create", "update", "replace", "adopt", "delete"];
/** GitHub allows 65,536 characters in a comment; longer text is cut, and says so. */
const mostRows = 100;
const longestDetails = 40_000;

/** A plan as a pull-request comment: a summary, and details to expand. */
export function planMarkdown(plan: Plan): string {
  const parts = [`### ${sumUp(plan)}\n`];
  if (plan.errors.length + plan.refusals.length > 0) {
    const held = groupRefusals(plan.refusals).map(({ what, objects, next }) => ({
      what: [what, ...objects].join("; "),
      next,
    }));
    parts.push(
      formatMarkdown([...plan.errors, ...held].slice(0, mostRows), [
        { header: "problem", value: ({ what }) => redact(what) },
        { header: "next step", value: ({ next }) => next },
      ]),
    );
  }
  if (plan.actions.length > 0) {
    const rows = [...Map.groupBy(plan.actions, rowKey).values()].flatMap((all) =>
      all[0] ? [{ first: all[0], all }] : [],
    );
    parts.push(
      formatMarkdown(rows.slice(0, mostRows), [
        { header: "integration", value: ({ first }) => first.attribution ?? "(shared)" },
        { header: "where", value: ({ first }) => `${first.cluster}/${first.namespace}` },
        { header: "changes", value: ({ all }) => countActions(all) },
      ]),
      `<details><summary>Details</summary>\n\n${fenced(cut(diffText(plan)))}\n</details>\n`,
    );
  }
  return parts.join("\n");
}

function rowKey({ attribution, cluster, namespace }: Action): string {
  return JSON.stringify([attribution, cluster, namespace]);
}

function countActions(actions: readonly Action[]): string {
  const counts = kinds.flatMap((kind) => {
    const count = actions.filter(({ action }) => action === kind).length;
    return count === 0 ? [] : [`${count} to ${kind}`];
  });
  return counts.join(", ");
}

/** Forges colour lines by their first character. */
function diffText(plan: Plan): string {
  return redact(describePlan({ ...plan, refusals: [], errors: [] }))
    .split("\n")
    .map((line) =>
      line.replace(
        /^( +)([-+~=]|-\/\+) /,
        (_, indent: string, sign: string) => `${sign === "~" || sign === "-/+" ? "!" : sign}${indent}`,
      ),
    )
    .join("\n");
}

/** A fence longer than any in the text, so that the text cannot close it. */
function fenced(text: string): string {
  const ticks = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1;
  const fence = "`".repeat(ticks);
  return `${fence}diff\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

function cut(text: string): string {
  if (text.length <= longestDetails) return text;
  return `${text.slice(0, text.lastIndexOf("\n", longestDetails))}\nThe rest is left out: it is too long for a comment.`;
}
