import type { Clock } from "#base";
import type { KubeClient } from "#kube";
import { policyVersion } from "./admission-policy.ts";
import { authorPolicies } from "./release-policies.ts";

const answerMs = 60_000;

/** What is said where the policies are missing. */
export const authorsNotHeld = `no author can be trusted, because the policies ${Object.values(authorPolicies).join(" and ")} are not installed: start \`tenon run\` with --install-crds, or install charts/tenon`;

/**
 * Tells whether the policies are installed by which a label names an author only if that user asked for it. An answer holds
 * for a minute: policies are removed by hand, if at all.
 */
export function findAuthorPolicies(client: KubeClient, clock: Clock): (signal: AbortSignal) => Promise<boolean> {
  let known: { readonly answer: boolean; readonly until: number } | undefined;
  return async (signal) => {
    if (known?.answer && known.until > clock.monotonic()) return true;
    const refs = Object.values(authorPolicies).flatMap((name) =>
      ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"].map((kind) => ({
        apiVersion: policyVersion,
        kind,
        name,
      })),
    );
    const found = await Promise.all(refs.map((ref) => client.find(ref, signal)));
    known = { answer: found.every((object) => object !== undefined), until: clock.monotonic() + answerMs };
    return known.answer;
  };
}
