import { systemClock } from "#base";
import { environmentsOf, type EnvironmentView, findRollouts, knownDigests, Propagation, shortDigest } from "#promotion";
import { inNamespace } from "../couple/get-coupled.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import type { Column } from "../terminal/format-table.ts";
import { printRows } from "../terminal/print-rows.ts";
import { findPropagations, type GetPropagationsChoice } from "./get-propagations.ts";

/** `tenon get environments`: which digest runs where. */
export async function getEnvironments(
  name: string | undefined,
  choice: GetPropagationsChoice,
  shell: Shell,
): Promise<void> {
  const rows = await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [Propagation]);
    const found = await findPropagations(client, name, choice, ownNamespace, shell.signal);
    const digests = new Set(found.flatMap((object) => [...knownDigests(Propagation.parse(object))]));
    const namespace = found[0]?.metadata.namespace;
    const rollouts = await findRollouts(digests, namespace, client, shell.signal);
    return found.flatMap((object) => environmentsOf(object, rollouts));
  });
  await printRows(
    { rows, columns: columns(), whenEmpty: `no propagations${inNamespace(choice)}` },
    choice.output,
    shell,
  );
}

function columns(): Column<EnvironmentView>[] {
  const now = systemClock.now();
  return [
    { header: "namespace", value: ({ namespace }) => namespace, keep: "all" },
    { header: "name", value: ({ propagation }) => propagation, isDispensable: true },
    { header: "environment", value: ({ environment }) => environment, keep: "all" },
    { header: "component", value: ({ component }) => component, keep: "all" },
    { header: "released", value: ({ released }) => short(released), isDispensable: true },
    { header: "merged", value: ({ merged }) => short(merged) },
    {
      header: "running",
      value: ({ running }) => short(running),
      colour: ({ running, merged }) => (running === merged ? undefined : "yellow"),
    },
    { header: "since", value: ({ runningSince }) => describeAge(runningSince, now) },
    {
      header: "where",
      value: ({ where }) => where.join(", "),
      below: ({ where }) => where.map((each) => `in ${each}`),
    },
  ];
}

function short(digest: string | undefined): string | undefined {
  return digest === undefined ? undefined : shortDigest(digest);
}
