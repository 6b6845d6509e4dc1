import { InputError } from "#base";
import { describeRef } from "#kube";
import {
  IntegrationTestScenario,
  parseTestStatuses,
  promotionAnnotations,
  promotionLabels,
  Snapshot,
} from "#promotion";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";

export interface RerunChoice extends ClusterChoice {
  readonly namespace?: string;
}

/** `tenon promote rerun`: asks the controller to test a Snapshot again, as the user. */
export async function rerunTests(
  snapshot: string,
  scenario: string | undefined,
  choice: RerunChoice,
  shell: Shell,
): Promise<void> {
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [Snapshot, IntegrationTestScenario]);
    const { namespace, name } = parseObjectKey(snapshot, choice.namespace ?? ownNamespace);
    const ref = { apiVersion: Snapshot.apiVersion, kind: Snapshot.kind, namespace, name };
    const found = await client.find(ref, shell.signal);
    if (!found)
      throw new InputError(`${describeRef(ref)} not found`, { next: "`tenon get tests -A` lists what is tested" });
    if (scenario !== undefined) {
      const { apiVersion, kind } = IntegrationTestScenario;
      const asked = { apiVersion, kind, namespace, name: scenario };
      if (!(await client.find({ ...asked, metadataOnly: true }, shell.signal))) {
        const { items } = await client.list({ apiVersion, kind, namespace, metadataOnly: true }, shell.signal);
        const known = items.map(({ metadata }) => metadata.name).join(", ");
        const next = known === "" ? "the namespace has no scenarios" : `the namespace has ${known}`;
        throw new InputError(`${describeRef(asked)} not found`, { next });
      }
    }
    const entries = parseTestStatuses(found.metadata.annotations?.[promotionAnnotations.testStatus]);
    const running = entries.filter(({ status }) => status === "Pending" || status === "InProgress");
    const isRunning = scenario !== undefined && running.some((entry) => entry.scenario === scenario);
    if (isRunning) {
      shell.stdout.write(`${describeRef(ref)}: ${scenario} is running already\n`);
      return;
    }
    const body = { metadata: { labels: { [promotionLabels.rerun]: scenario ?? "all" } } };
    await client.patch(ref, { type: "merge", body, fieldManager: "tenon" }, shell.signal);
    shell.stdout.write(`${describeRef(ref)}: ${scenario ?? "all tests that apply"} will run again\n`);
  });
}
