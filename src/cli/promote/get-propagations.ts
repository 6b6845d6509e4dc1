import { compareText, InputError, systemClock } from "#base";
import { describeRef, keyOf, type KubeClient, type KubeObject } from "#kube";
import { Propagation, shortDigest, type StageStatus } from "#promotion";
import { inNamespace } from "../couple/get-coupled.ts";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice, OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { describeAge } from "../terminal/describe-age.ts";
import type { Column } from "../terminal/format-table.ts";
import type { Colour } from "../terminal/paint.ts";
import { printRows } from "../terminal/print-rows.ts";

export interface GetPropagationsChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly output: OutputFormat;
}

/** One stage of a Propagation. */
interface StageRow {
  readonly namespace: string;
  readonly name: string;
  readonly stage: string;
  readonly state: string;
  readonly since: string | undefined;
  readonly pullRequests: readonly string[];
  /** Digests by `repository:tag`. */
  readonly merged: Readonly<Record<string, string>> | undefined;
  readonly running: Readonly<Record<string, string>> | undefined;
  readonly runningSince: string | undefined;
  readonly next: string | undefined;
}

const colours: Readonly<Record<string, Colour>> = { Failed: "red", Held: "red", Manual: "yellow", Limited: "yellow" };

/** The worst stage counts: Failed is broken, and Held and Manual need a person before anything goes on. */
function urgencyOf(stages: readonly StageRow[]): number {
  return Math.max(...stages.map(({ state }) => ["Manual", "Held", "Failed"].indexOf(state)));
}

/** `tenon get propagations` */
export async function getPropagations(
  name: string | undefined,
  choice: GetPropagationsChoice,
  shell: Shell,
): Promise<void> {
  const found = await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [Propagation]);
    return findPropagations(client, name, choice, ownNamespace, shell.signal);
  });
  // Trouble first, with the stages of a propagation together and in their order.
  const rows = found
    .map(rowsOf)
    .toSorted((one, other) => urgencyOf(other) - urgencyOf(one))
    .flat();
  await printRows(
    { rows, columns: columns(), whenEmpty: `no propagations${inNamespace(choice)}` },
    choice.output,
    shell,
  );
}

/** All that the user asked for, by name. */
export async function findPropagations(
  client: KubeClient,
  name: string | undefined,
  choice: GetPropagationsChoice,
  ownNamespace: string,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const { apiVersion, kind } = Propagation;
  if (name !== undefined) return [await findPropagation(client, name, choice.namespace ?? ownNamespace, signal)];
  const namespace = choice.allNamespaces ? undefined : (choice.namespace ?? ownNamespace);
  const { items } = await client.list({ apiVersion, kind, namespace }, signal);
  return items.toSorted((one, other) => compareText(keyOf(one), keyOf(other)));
}

/** The Propagation that the user named. */
export async function findPropagation(
  client: KubeClient,
  name: string,
  namespace: string,
  signal: AbortSignal,
): Promise<KubeObject> {
  const ref = { apiVersion: Propagation.apiVersion, kind: Propagation.kind, ...parseObjectKey(name, namespace) };
  const found = await client.find(ref, signal);
  if (found) return found;
  const next = "`tenon get propagations --all-namespaces` lists all";
  throw new InputError(`${describeRef(ref)} not found`, { next });
}

function rowsOf(object: KubeObject): StageRow[] {
  const { namespace = "", name } = object.metadata;
  const { spec, status } = Propagation.parse(object);
  const problem = status?.conditions?.find(({ type, status: is }) => type === "Ready" && is === "False");
  return spec.stages.map((stage): StageRow => {
    const known = status?.stages?.find((one) => one.name === stage.name);
    const next = known?.message ?? problem?.message;
    return {
      namespace,
      name,
      stage: stage.name,
      state: spec.suspend ? "Suspended" : (known?.state ?? "New"),
      since: known?.since,
      pullRequests: openPullRequests(known),
      merged: known?.merged?.digests,
      running: known?.running?.digests,
      runningSince: known?.running?.since,
      next,
    };
  });
}

function openPullRequests(stage: StageStatus | undefined): string[] {
  return stage?.proposals.flatMap(({ pullRequest }) => (pullRequest?.state === "open" ? [pullRequest.url] : [])) ?? [];
}

function columns(): Column<StageRow>[] {
  const now = systemClock.now();
  return [
    { header: "namespace", value: ({ namespace }) => namespace, keep: "all" },
    { header: "name", value: ({ name }) => name, keep: "all" },
    { header: "stage", value: ({ stage }) => stage, keep: "all" },
    { header: "state", value: ({ state }) => state, colour: ({ state }) => colours[state], keep: "all" },
    { header: "since", value: ({ since }) => describeAge(since, now) },
    { header: "merged", value: ({ merged }) => describeDigests(merged) },
    { header: "running", value: ({ running }) => describeDigests(running) },
    {
      header: "what to do",
      value: ({ next }) => next,
      below: ({ next, pullRequests }) => [...(next === undefined ? [] : [`next: ${next}`]), ...pullRequests],
    },
  ];
}

function describeDigests(digests: Readonly<Record<string, string>> | undefined): string | undefined {
  const short = Object.values(digests ?? {}).map(shortDigest);
  return short.length === 0 ? undefined : [...new Set(short)].join(" ");
}
