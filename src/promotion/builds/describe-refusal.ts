import type { ApiError } from "#kube";

/** Why the API server forbids to create an object, and what to do about it. */
export function describeRefusal(error: ApiError): string {
  const isQuota = error.message.includes("exceeded quota");
  const next = isQuota
    ? "raise the quota of the namespace, or delete what is no longer needed"
    : "the message says what refuses it: a policy, a webhook, or missing rights, which `tenon doctor --rbac` lists";
  return `${error.message}; ${next}`;
}
