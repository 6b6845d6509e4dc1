import { ApiError } from "#kube";

/** Whether the API server would refuse the same object again, until someone changes something. */
export function isRefusedCreation(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return error.isForbidden || error.isInvalid || error.isBadRequest || error.status === tooLarge;
}

const tooLarge = 413;

/** Why the API server refuses to create an object, and what to do about it. */
export function describeRefusal(error: ApiError): string {
  return `${error.message}; ${nextAfter(error)}`;
}

function nextAfter(error: ApiError): string {
  if (error.message.includes("exceeded quota"))
    return "raise the quota of the namespace, or delete what is no longer needed";
  if (!error.isForbidden) return "the message says what is not valid: correct that";
  return "the message says what refuses it: a policy, a webhook, or missing rights, which `tenon doctor --rbac` lists";
}
