import { InputError, nearestName } from "#base";
import type { RememberedNamespace } from "#integrations";
import { type HomeCluster, openHomeCluster } from "../control/home-cluster.ts";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { Shell } from "../shell.ts";
import { confirm } from "../terminal/confirm.ts";
import { printRows } from "../terminal/print-rows.ts";
import type { ForgetChoice } from "./manage-commands.ts";
import { openNamespaceMemory } from "./manage-settings.ts";

/** `tenon forget cluster`: takes a cluster that is gone for good off the list of managed namespaces, after asking. */
export async function forgetCluster(name: string, choice: ForgetChoice, shell: Shell): Promise<void> {
  const config = await readTenonConfig(choice.config);
  await using opened = new AsyncDisposableStack();
  const home = async (): Promise<HomeCluster> => opened.use(await openHomeCluster(choice, config, shell));
  const memory = await openNamespaceMemory(choice, config, shell, home);
  if (!memory) {
    throw new InputError("there is no list of managed namespaces", {
      next: "name the one that the manager uses with --tenon-namespace or --state-file, or in tenon.yaml",
    });
  }
  const known = await memory.read(shell.signal);
  const isMeant = ({ cluster }: RememberedNamespace): boolean => cluster.name === name;
  const rows = known.filter(isMeant);
  if (rows.length === 0) throw notListed(name, known);
  await printRows({ rows, columns, whenEmpty: "" }, "table", shell);
  const count = rows.length === 1 ? "this namespace" : `these ${rows.length} namespaces`;
  const question = `forget ${count} of ${name}? What is left there will never be cleaned up`;
  if (!choice.yes && !(await confirm(question, shell, shell.signal))) {
    throw new InputError("nothing was forgotten", { next: "answer yes, or use --yes" });
  }
  await memory.update((all) => all.filter((entry) => !isMeant(entry)), shell.signal);
  shell.stdout.write(`forgot cluster ${name}\n`);
}

function notListed(name: string, known: readonly RememberedNamespace[]): InputError {
  const names = new Set(known.map(({ cluster }) => cluster.name));
  const near = nearestName(name, names);
  return new InputError(`no managed namespace is on cluster ${name}`, {
    next: near === undefined ? `listed are ${[...names].join(", ") || "none"}` : `did you mean ${near}?`,
  });
}

const columns = [
  { header: "cluster", value: ({ cluster }: RememberedNamespace) => cluster.name },
  { header: "namespace", value: ({ namespace }: RememberedNamespace) => namespace },
  { header: "environment", value: ({ environment }: RememberedNamespace) => environment },
  { header: "server", value: ({ cluster }: RememberedNamespace) => cluster.serverUrl },
];
