import { z } from "zod";

/** Statuses of a commit; GitHub and Gitea answer alike. */
export const CommitStatuses = z.array(
  z.object({
    id: z.int(),
    context: z.string(),
    /** Gitea has its own word for it. */
    state: z.string().optional(),
    status: z.string().optional(),
    description: z.string().nullish(),
    target_url: z.string().nullish(),
  }),
);

type SentStatus = z.infer<typeof CommitStatuses>[number];

/** The newest by its id: by time, Gitea gives those of one second in any order. */
export function latestStatus(statuses: readonly SentStatus[], context: string): SentStatus | undefined {
  return statuses.filter((one) => one.context === context).toSorted((one, other) => other.id - one.id)[0];
}

/** Whether a forge says of a commit what is to be sent. */
export function isSameStatus(
  { state, status, description, target_url }: SentStatus,
  sent: { readonly state: string; readonly description: string; readonly url: string | undefined },
): boolean {
  const isSameText = (description ?? "") === sent.description && (target_url ?? "") === (sent.url ?? "");
  return (status ?? state) === sent.state && isSameText;
}
