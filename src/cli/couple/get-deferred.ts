import { asRecord, asString, conditionOf, DeferredResource } from "#coupling";
import type { KubeObject } from "#kube";
import { callAgain } from "../call-again.ts";
import type { Shell } from "../shell.ts";
import { printRows } from "../terminal/print-rows.ts";
import { columnsOf, findObjects, type GetCoupledChoice, inNamespace, type ObjectRow } from "./get-coupled.ts";

interface DeferredRow extends ObjectRow {
  /** What it creates, as `Kind name`. */
  readonly resource?: string;
}

/** `tenon get deferredresources` */
export async function getDeferredResources(
  name: string | undefined,
  choice: GetCoupledChoice,
  shell: Shell,
): Promise<void> {
  const found = await findObjects(DeferredResource, name, choice, shell);
  const rows = found.map((object) => rowOf(object, shell.env));
  const columns = columnsOf<DeferredRow>([{ header: "resource", value: ({ resource }) => resource }]);
  await printRows({ rows, columns, whenEmpty: `no DeferredResources${inNamespace(choice)}` }, choice.output, shell);
}

const states: Readonly<Record<string, string>> = { Pending: "Waiting", Success: "Resolved", Error: "Failed" };

function rowOf(object: KubeObject, env: NodeJS.ProcessEnv): DeferredRow {
  const { namespace = "", name, creationTimestamp } = object.metadata;
  const resolved = conditionOf(object, "Resolved");
  const reason = asString(resolved?.["reason"]);
  const { kind, metadata } = asRecord(asRecord(object["spec"])["resource"]);
  const resource = [kind, asRecord(metadata)["name"]].filter((part) => typeof part === "string").join(" ");
  const explained = conditionOf(object, reason === "Error" ? "Failed" : "Ready");
  const waitsFor = reason === "Success" ? undefined : asString(explained?.["message"]);
  const next = adviceFor(reason, env);
  return {
    namespace,
    name,
    ...(resource === "" ? {} : { resource }),
    state: states[reason ?? ""] ?? "New",
    ...(reason === undefined ? {} : { reason }),
    since: asString(resolved?.["lastTransitionTime"]) ?? creationTimestamp ?? "",
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...(next === undefined ? {} : { next }),
  };
}

function adviceFor(reason: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (reason === undefined) return `not reconciled yet: is \`${callAgain(env)} run --only couple\` running?`;
  return reason === "Error" ? "fix the error; Tenon then retries" : undefined;
}
