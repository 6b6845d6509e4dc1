import { systemClock } from "#base";
import type { KubeObject } from "#kube";
import { parseTestStatuses, promotionAnnotations, Snapshot, type TestStatusEntry } from "#promotion";
import { findObjects, type GetCoupledChoice, inNamespace } from "../couple/get-coupled.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import type { Column } from "../terminal/format-table.ts";
import type { Colour } from "../terminal/paint.ts";
import { printRows } from "../terminal/print-rows.ts";

interface TestRow {
  readonly namespace: string;
  readonly snapshot: string;
  readonly scenario: string;
  readonly status: string;
  readonly isOptional: boolean;
  readonly run?: string;
  readonly since: string;
  readonly details: string;
}

const colours: Readonly<Record<string, Colour>> = {
  TestFail: "red",
  TestInvalid: "red",
  Deleted: "red",
  TestWarning: "yellow",
};

/** `tenon get tests`: the tests of one Snapshot or of all, newest Snapshot first. */
export async function getTests(name: string | undefined, choice: GetCoupledChoice, shell: Shell): Promise<void> {
  const found = await findObjects(Snapshot, name, choice, shell);
  const newestFirst = found.toSorted((one, other) => (createdAt(one) < createdAt(other) ? 1 : -1));
  const rows = newestFirst.flatMap(({ metadata }) =>
    parseTestStatuses(metadata.annotations?.[promotionAnnotations.testStatus]).map((entry) =>
      rowOf(metadata.namespace ?? "", metadata.name, entry),
    ),
  );
  const now = systemClock.now();
  const columns: Column<TestRow>[] = [
    { header: "namespace", value: ({ namespace }) => namespace, keep: "all" },
    { header: "snapshot", value: ({ snapshot }) => snapshot, keep: "all" },
    { header: "scenario", value: ({ scenario, isOptional }) => (isOptional ? `${scenario} (optional)` : scenario) },
    { header: "status", value: ({ status }) => status, colour: ({ status }) => colours[status], keep: "all" },
    { header: "since", value: ({ since }) => describeAge(since, now) },
    { header: "run", value: ({ run }) => run, keep: "all", isDispensable: true },
    {
      header: "details",
      value: ({ details }) => details,
      below: ({ details, status }) => (status === "TestPassed" || status === "InProgress" ? [] : [details]),
    },
  ];
  await printRows({ rows, columns, whenEmpty: `no tests${inNamespace(choice)}` }, choice.output, shell);
}

function rowOf(namespace: string, snapshot: string, entry: TestStatusEntry): TestRow {
  const { scenario, status, isOptionalScenario = false, testPipelineRunName: run, lastUpdateTime, details } = entry;
  const of = { namespace, snapshot, scenario, status, isOptional: isOptionalScenario };
  return { ...of, ...(run === undefined ? {} : { run }), since: lastUpdateTime, details };
}

function createdAt({ metadata }: KubeObject): string {
  return metadata.creationTimestamp ?? "";
}
