import { ApiError } from "./api-error.ts";
import type { TransportContext } from "./request-attempt.ts";
import type { Credential } from "../access/cluster-access.ts";
import type { KubeRequest } from "./request.ts";
import { defaultRetryLimits, retryPolicy } from "./retry-policy.ts";

/** Retries what the policy allows, and once with new credentials when the old ones are rejected. */
export async function withRetries<Result>(
  { access, clock, metrics, random }: Pick<TransportContext, "access" | "clock" | "metrics" | "random">,
  request: KubeRequest,
  attempt: (present: () => Promise<Credential>) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const policy = retryPolicy(request, defaultRetryLimits, random);
  let presented: Credential = {};
  let hasRenewed = false;

  async function present(): Promise<Credential> {
    presented = await access.credentials.current(signal);
    return presented;
  }

  /** How long to wait before the next attempt; undefined if there is none. */
  async function waitAfter(error: unknown): Promise<number | undefined> {
    if (!(error instanceof ApiError && error.isUnauthorized)) return policy.waitAfter(error);
    if (hasRenewed) return undefined;
    hasRenewed = true;
    return (await access.credentials.renew(presented, signal)) ? 0 : undefined;
  }

  for (;;) {
    try {
      return await attempt(present);
    } catch (error) {
      const waitMs = signal?.aborted ? undefined : await waitAfter(error);
      if (waitMs === undefined) throw error;
      const code = error instanceof ApiError ? String(error.status) : "<error>";
      metrics.retried({ method: request.method, host: access.server.host, code });
      if (waitMs > 0) await clock.sleep(waitMs, signal);
    }
  }
}
