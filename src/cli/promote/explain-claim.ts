import { InputError } from "#base";
import { describeRef } from "#kube";
import { type ClaimView, EphemeralClaim, viewClaim } from "#promotion";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice, OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printDocument } from "../terminal/print-rows.ts";
import { safeText } from "../terminal/visible-text.ts";

export interface ExplainClaimChoice extends ClusterChoice {
  readonly output: OutputFormat;
}

/** `tenon explain claim/NAMESPACE/NAME`: the environment, how it is used, and when it ends. */
export async function explainClaim(name: string, choice: ExplainClaimChoice, shell: Shell): Promise<void> {
  const claim = await withClient(choice, shell, async (client, ownNamespace) => {
    const { apiVersion, kind } = EphemeralClaim;
    await requireCoupledKinds(client, shell.signal, [{ apiVersion, kind }]);
    const ref = { apiVersion, kind, ...parseObjectKey(name, ownNamespace) };
    const found = await client.find(ref, shell.signal);
    if (found) return viewClaim(found);
    throw new InputError(`${describeRef(ref)} not found`, { next: "`tenon get claims --all-namespaces` lists all" });
  });
  if (choice.output === "json" || choice.output === "yaml") await printDocument(claim, choice.output, shell);
  else for (const line of describeClaim(claim)) shell.stdout.write(`${safeText(line)}\n`);
}

function describeClaim(view: ClaimView): string[] {
  const { namespace, claim, phase, className, owner, environment, server, secret, expiresAt, message, next } = view;
  const { created, readyAt, tokenExpiresAt } = view;
  return [
    `EphemeralClaim ${namespace}/${claim}: ${phase}`,
    ...(message === undefined ? [] : [`why: ${message}`]),
    ...(next === undefined ? [] : [`next: ${next}`]),
    `class: ${className}`,
    `for: ${owner ?? "no run; it ends by its time to live, or when it is deleted"}`,
    `asked for: ${created}${readyAt === undefined ? "" : `, ready: ${readyAt}`}`,
    ...(expiresAt === undefined ? [] : [`ends: ${expiresAt} at the latest`]),
    ...(environment === undefined ? [] : [`environment: namespace ${environment} of ${server ?? "this cluster"}`]),
    ...(secret === undefined ? [] : [`kubeconfig: Secret ${namespace}/${secret}, key kubeconfig`]),
    ...(tokenExpiresAt === undefined ? [] : [`token: valid until ${tokenExpiresAt}, replaced before`]),
  ];
}
