import { z } from "zod";
import type { CommitState, CommitStatus } from "../forge.ts";

/** What a check run says: https://docs.github.com/rest/checks/runs */
export interface CheckRunContent {
  readonly status: "queued" | "in_progress" | "completed";
  readonly conclusion?: "success" | "neutral" | "failure" | "cancelled" | "skipped";
  readonly output: { readonly title: string; readonly summary: string; readonly text?: string };
  readonly details_url?: string;
  readonly external_id?: string;
}

export const CheckRuns = z.object({
  check_runs: z.array(
    z.object({
      id: z.int(),
      status: z.string(),
      conclusion: z.string().nullish(),
      details_url: z.string().nullish(),
      output: z.object({ title: z.string().nullish(), summary: z.string().nullish(), text: z.string().nullish() }),
    }),
  ),
});
export type CheckRun = z.infer<typeof CheckRuns>["check_runs"][number];

const contents: Readonly<
  Record<CommitState, readonly [title: string, Pick<CheckRunContent, "status" | "conclusion">]>
> = {
  pending: ["Pending", { status: "queued" }],
  running: ["In progress", { status: "in_progress" }],
  success: ["Succeeded", { status: "completed", conclusion: "success" }],
  warning: ["Warning", { status: "completed", conclusion: "neutral" }],
  failure: ["Failed", { status: "completed", conclusion: "failure" }],
  error: ["Errored", { status: "completed", conclusion: "failure" }],
  canceled: ["Canceled", { status: "completed", conclusion: "cancelled" }],
  skipped: ["Skipped", { status: "completed", conclusion: "skipped" }],
};

export function checkRunContent({ state, description: summary, url, check }: CommitStatus): CheckRunContent {
  const [word, rest] = contents[state];
  const output = check ? { title: check.title, summary, text: check.text } : { title: word, summary };
  return {
    ...rest,
    output,
    ...(url === undefined ? {} : { details_url: url }),
    ...(check ? { external_id: check.id } : {}),
  };
}

/** What makes the newest check run of a name say that. One that is completed stays as it is, and a new one replaces it. */
export function planCheckRun(
  latest: CheckRun | undefined,
  wanted: CheckRunContent,
): { readonly kind: "none" } | { readonly kind: "create" } | { readonly kind: "update"; readonly id: number } {
  if (latest && isSaid(latest, wanted)) return { kind: "none" };
  return latest && latest.status !== "completed" ? { kind: "update", id: latest.id } : { kind: "create" };
}

function isSaid(latest: CheckRun, { status, conclusion, output, details_url }: CheckRunContent): boolean {
  const isSameState = latest.status === status && (latest.conclusion ?? undefined) === conclusion;
  const isSameText =
    latest.output.title === output.title &&
    latest.output.summary === output.summary &&
    (output.text === undefined || latest.output.text === output.text);
  return isSameState && isSameText && (details_url === undefined || latest.details_url === details_url);
}
