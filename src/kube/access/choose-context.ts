import { InputError, nearestName } from "#base";
import type { ClusterEntry, ContextEntry, UserEntry } from "./kubeconfig-file.ts";
import type { KubeconfigEntry, MergedKubeconfig } from "./merge-kubeconfigs.ts";

/** A context, and the cluster and user that it refers to. */
export interface ChosenContext {
  readonly name: string;
  readonly context: ContextEntry;
  readonly cluster: KubeconfigEntry<ClusterEntry>;
  /** A context without a user calls anonymously. */
  readonly user: KubeconfigEntry<UserEntry> | undefined;
}

/** The context with this name, else the current one. */
export function chooseContext(config: MergedKubeconfig, requested: string | undefined): ChosenContext {
  const name = requested ?? config.currentContext;
  if (name === undefined) throw noneChosen(config);
  const found = config.contexts.get(name);
  if (found === undefined) throw unknownContext(config, name, requested === undefined);
  const context = found.value;
  const where = `${found.file}, context ${name}`;
  const cluster = config.clusters.get(context.cluster ?? "");
  if (cluster === undefined) throw dangling("cluster", context.cluster, config.clusters.keys(), where);
  if (context.user === undefined) return { name, context, cluster, user: undefined };
  const user = config.users.get(context.user);
  if (user === undefined) throw dangling("user", context.user, config.users.keys(), where);
  return { name, context, cluster, user };
}

function noneChosen(config: MergedKubeconfig): InputError {
  const where = config.files.join(", ");
  if (config.contexts.size === 0) {
    return new InputError("the kubeconfig has no contexts", {
      where,
      next: "add one with `kubectl config set-context`, or name another file with --kubeconfig",
    });
  }
  return new InputError("the kubeconfig has no current context", {
    where,
    next: `choose one with --context or \`kubectl config use-context\`; ${listContexts(config)}`,
  });
}

function unknownContext(config: MergedKubeconfig, name: string, isCurrent: boolean): InputError {
  const near = nearestName(name, config.contexts.keys());
  const hint = near === undefined ? "" : `did you mean ${near}? `;
  const what = `${isCurrent ? "the current context" : "the context"} ${JSON.stringify(name)} does not exist`;
  return new InputError(what, { where: config.files.join(", "), next: `${hint}${listContexts(config)}` });
}

const mostListed = 10;

function listContexts({ contexts }: MergedKubeconfig): string {
  if (contexts.size === 0) return "there are no contexts";
  const names = [...contexts.keys()];
  const more = names.length > mostListed ? ` and ${names.length - mostListed} more` : "";
  return `the contexts are: ${names.slice(0, mostListed).join(", ")}${more}`;
}

function dangling(
  part: "cluster" | "user",
  name: string | undefined,
  names: Iterable<string>,
  where: string,
): InputError {
  if (name === undefined) return new InputError(`the context has no ${part}`, { where, next: `set its \`${part}\`` });
  const near = nearestName(name, names);
  const hint = near === undefined ? "" : `did you mean ${near}? if not, `;
  return new InputError(`the ${part} ${JSON.stringify(name)} of this context does not exist`, {
    where,
    next: `${hint}add it to \`${part}s\`, or correct \`${part}\` of the context`,
  });
}
