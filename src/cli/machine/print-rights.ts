import { CommandFailed } from "#base";
import { coupleRights, leaseName } from "#coupling";
import { manageRights } from "#integrations";
import { connect, createClient, type KubeClient, listOwnRules, loadAccess, reviewOwnAccess } from "#kube";
import { defaultPromoteParts, driverRights, type PromotePart, promoteRights } from "#promotion";
import type { Right } from "#runtime";
import { nameCluster } from "../cluster/name-cluster.ts";
import { readNames } from "../couple/coupling-settings.ts";
import { ownNamespace } from "../control/home-cluster.ts";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { ClusterChoice, OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { Colour } from "../terminal/paint.ts";
import { printRows, printDocument } from "../terminal/print-rows.ts";
import type { Column } from "../terminal/format-table.ts";
import {
  findUnneededRules,
  type GrantedRule,
  type RightsHolder,
  missingRoles,
  accessQuestions,
  rightFor,
} from "./check-rights.ts";

export interface RightsChoice extends ClusterChoice {
  readonly only?: readonly string[];
  readonly promote?: readonly PromotePart[];
  readonly as?: string;
  readonly tenonNamespace?: string;
  readonly managedNamespace: readonly string[];
  readonly namespaces?: string;
  readonly lease?: string;
  readonly output: OutputFormat;
}

interface Row {
  readonly state: "ok" | "missing" | "not needed";
  readonly verbs: string;
  readonly resource: string;
  readonly where: string;
  readonly why: string;
}

const jobNames = ["couple", "manage", "promote"];

/** Parts of a job may need the same rights. */
function rightsOf(job: string, parts: readonly PromotePart[]): readonly Right[] {
  if (job === "couple") return coupleRights;
  if (job === "manage") return manageRights;
  if (job === "dra-driver") return driverRights;
  const rights = parts.flatMap((part) => promoteRights[part]);
  return [...new Map(rights.map((right) => [JSON.stringify(right), right])).values()];
}

const colours: Readonly<Record<Row["state"], Colour | undefined>> = {
  ok: undefined,
  missing: "red",
  "not needed": "yellow",
};

const columns: readonly Column<Row>[] = [
  { header: "state", value: ({ state }) => state, colour: ({ state }) => colours[state], keep: "all" },
  { header: "verbs", value: ({ verbs }) => verbs },
  { header: "resource", value: ({ resource }) => resource, keep: "all" },
  { header: "where", value: ({ where }) => where },
  {
    header: "why",
    value: ({ why }) => why,
    below: ({ state, verbs, where, why }) => (state === "missing" ? [`${verbs} in ${where}: ${why}`] : []),
  },
];

/** Compares the rights that jobs need with those that a user has, and prints what to add; fails if rights are missing. */
export async function printRights(choice: RightsChoice, shell: Shell): Promise<void> {
  const { only = jobNames, promote: parts = defaultPromoteParts, output } = choice;
  const config = await readTenonConfig(undefined);
  const access = await loadAccess({ ...(await nameCluster(choice, config, shell)), env: shell.env });
  await using transport = connect(access);
  const own = createClient(transport);
  const client = choice.as === undefined ? own : own.impersonate({ user: choice.as });
  const { user } = await client.whoAmI(shell.signal);
  const namespace = ownNamespace(choice, config, shell.env) ?? access.namespace;
  const account = new RegExp(`^system:serviceaccount:${namespace}:([^:]+)$`).exec(user)?.[1];
  const { managedNamespace: targets, namespaces, lease = leaseName } = choice;
  const watched = namespaces === undefined ? undefined : readNames(namespaces);
  const holder: RightsHolder = { account, namespace, targets, watched, lease };
  const needed = only.flatMap((job) => rightsOf(job, parts)).flatMap((right) => rightFor(right, holder) ?? []);
  const judged = await Promise.all(needed.map((right) => judge(right, holder, client, shell.signal)));
  const rules = await listOwnRules(client, namespace, shell.signal);
  const missing = judged.flatMap(({ missing: verbs, right }) => (verbs.length === 0 ? [] : [{ ...right, verbs }]));
  const rows = [
    ...judged.flatMap(({ granted: verbs, right }) =>
      verbs.length === 0 ? [] : rowsOf("ok", { ...right, verbs }, holder),
    ),
    ...missing.flatMap((right) => rowsOf("missing", right, holder)),
    ...findUnneededRules(rules, needed, holder).map(unneededRow),
  ];
  await printRows({ rows, columns, whenEmpty: "" }, output, shell);
  if (missing.length === 0) return;
  if (output === "table") {
    shell.stdout.write(`\nTo add the missing rights, apply this with kubectl apply -f:\n\n`);
    for (const role of missingRoles(missing, user, holder)) {
      shell.stdout.write("---\n");
      await printDocument(role, "yaml", shell);
    }
  }
  throw new CommandFailed(`${user} lacks ${missing.length} of ${needed.length} rights`, {
    next: "add them, or install charts/tenon, which adds them",
  });
}

async function judge(
  right: Right,
  holder: RightsHolder,
  client: KubeClient,
  signal: AbortSignal,
): Promise<{ readonly right: Right; readonly granted: string[]; readonly missing: string[] }> {
  const [granted, missing]: [string[], string[]] = [[], []];
  for (const [verb, questions] of accessQuestions(right, holder)) {
    const answers = await Promise.all(questions.map((question) => reviewOwnAccess(client, question, signal)));
    if (answers.length === 0) continue;
    (answers.every(({ isAllowed }) => isAllowed) ? granted : missing).push(verb);
  }
  return { right, granted, missing };
}

/** A row for each resource: in one cell they would not fit a terminal. */
function rowsOf(
  state: Row["state"],
  { apiGroup, resources, names = [], verbs, where: kind, why }: Right,
  { watched }: RightsHolder,
): Row[] {
  const where = kind === "watched namespaces" ? (watched?.join(", ") ?? "cluster") : kind;
  return resources.map((each) => ({
    state,
    verbs: verbs.join(", "),
    resource: describe(apiGroup, each, names),
    where,
    why,
  }));
}

function unneededRow({ apiGroups, resources, resourceNames, verbs }: GrantedRule): Row {
  const resource = describe(apiGroups.join(), resources.join(), resourceNames);
  return { state: "not needed", verbs: verbs.join(", "), resource, where: "own namespace, or cluster", why: "" };
}

function describe(apiGroup: string, resource: string, names: readonly string[]): string {
  const [plural, ...subresource] = resource.split("/");
  const path = [`${plural}${apiGroup ? `.${apiGroup}` : ""}`, ...subresource].join("/");
  return names.length > 0 ? `${path} ${names.join(", ")}` : path;
}
