import { isRecord, systemClock } from "#base";
import type { KubeObject } from "#kube";
import { Application, composeComponents, type SnapshotState } from "#promotion";
import { type GetCoupledChoice, inNamespace } from "../couple/get-coupled.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import type { Column } from "../terminal/format-table.ts";
import { printRows } from "../terminal/print-rows.ts";
import { type Built, findBuilt, newestSnapshot, snapshotProblem } from "./find-built.ts";
import { snapshotColours } from "./state-colours.ts";

interface ApplicationRow {
  readonly namespace: string;
  readonly application: string;
  readonly components: readonly string[];
  /** The newest Snapshot that is not of a pull request. */
  readonly snapshot?: string;
  readonly state?: SnapshotState;
  readonly created?: string;
  readonly problem?: string;
}

/** `tenon get applications`: those with a problem first. */
export async function getApplications(name: string | undefined, choice: GetCoupledChoice, shell: Shell): Promise<void> {
  const built = await findBuilt(Application, name, choice, shell);
  const rows = built.found
    .map((application) => rowOf(application, built))
    .toSorted((one, other) => Number(one.problem === undefined) - Number(other.problem === undefined));
  const now = systemClock.now();
  const columns: Column<ApplicationRow>[] = [
    { header: "namespace", value: ({ namespace }) => namespace, keep: "all" },
    { header: "application", value: ({ application }) => application, keep: "all" },
    { header: "components", value: ({ components }) => components.join(", ") },
    { header: "snapshot", value: ({ snapshot }) => snapshot, keep: "end" },
    {
      header: "state",
      value: ({ state }) => state,
      colour: ({ state }) => state && snapshotColours[state],
      keep: "all",
    },
    { header: "age", value: ({ created }) => describeAge(created, now) },
    {
      header: "problem",
      value: ({ problem }) => problem,
      below: ({ problem }) => (problem === undefined ? [] : [problem]),
    },
  ];
  await printRows({ rows, columns, whenEmpty: `no applications${inNamespace(choice)}` }, choice.output, shell);
}

function rowOf(application: KubeObject, { components, snapshots }: Built): ApplicationRow {
  const { namespace = "", name } = application.metadata;
  const own = components.filter(
    ({ metadata, spec }) => metadata.namespace === namespace && isRecord(spec) && spec["application"] === name,
  );
  const last = newestSnapshot(
    snapshots,
    ({ namespace: where, owner }) => where === namespace && owner?.kind === "Application" && owner.name === name,
  );
  const problem = deadlockIn(application) ?? snapshotProblem(last) ?? componentsProblem(namespace, name, own);
  return {
    namespace,
    application: name,
    components: own.map(({ metadata }) => metadata.name),
    ...(last ? { snapshot: last.snapshot, state: last.state, created: last.created } : {}),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** What the controller of builds says of components that block each other. */
function deadlockIn({ status }: KubeObject): string | undefined {
  const conditions = isRecord(status) && Array.isArray(status["conditions"]) ? status["conditions"] : [];
  const found = conditions
    .filter(isRecord)
    .find(({ type, status: value }) => type === "PromotionDeadlock" && value === "True");
  return found && String(found["message"]);
}

function componentsProblem(namespace: string, name: string, own: readonly KubeObject[]): string | undefined {
  if (own.length === 0) return `it has no components: create a Component with spec.application ${name}`;
  const { omitted } = composeComponents(own);
  if (omitted.length === 0) return undefined;
  return `Snapshots leave out ${omitted.join(", ")}: see \`tenon get components -n ${namespace}\``;
}
