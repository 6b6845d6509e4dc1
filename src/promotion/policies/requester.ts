import { upstreamGroup } from "../kinds/promotion-names.ts";

/** Variables of a policy, of which `requester` is the user's name as the value of a label: the same as release-service makes of it. */
export const requesterVariables = [
  { name: "raw", expression: "request.userInfo.username.replace(':', '_').replace('@', '.', 1)" },
  {
    name: "requester",
    expression: "(variables.raw.size() > 63 ? variables.raw.substring(0, 63) : variables.raw).find('^.*[a-zA-Z0-9]')",
  },
] as const;

/** The same as `variables.requester` in a policy. */
export function authorLabelOf(user: string): string {
  const raw = user.replaceAll(":", "_").replace("@", ".").slice(0, 63);
  return /^.*[a-zA-Z0-9]/.exec(raw)?.[0] ?? "";
}

/** A CEL expression for whether the requester may do something to ReleasePlans of a namespace, which is an expression too. */
export function mayInNamespace(verb: "create" | "attribute", namespace: string): string {
  return `authorizer.group('${upstreamGroup}').resource('releaseplans').namespace(${namespace}).check('${verb}').allowed()`;
}
