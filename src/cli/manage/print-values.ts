import { InputError, nearestName } from "#base";
import { computeValues, fieldLocator } from "#integrations";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { Shell } from "../shell.ts";
import { printDocument } from "../terminal/print-rows.ts";
import { openData, dataSelection } from "./manage-settings.ts";
import type { DataChoice } from "./manage-commands.ts";
import { printErrors } from "./print-plan.ts";

export interface ValuesChoice extends DataChoice {
  readonly config?: string;
  readonly namespace?: string;
  readonly output: "yaml" | "json";
}

/** `tenon values`: prints values files. */
export async function printValues(choice: ValuesChoice, shell: Shell): Promise<void> {
  const config = await readTenonConfig(choice.config);
  const data = await (await openData(choice, config, shell))().load(shell.signal);
  const locate = data.find ? { locate: fieldLocator(data.find) } : {};
  const selection = { ...dataSelection(choice, config, shell), ...locate };
  const { namespaces, errors } = await computeValues(data, selection, shell.signal);
  if (choice.namespace === undefined) {
    if (choice.output === "json") await printDocument(namespaces, "json", shell);
    for (const { cluster, namespace, values } of choice.output === "json" ? [] : namespaces) {
      shell.stdout.write(`---\n# ${cluster}/${namespace}\n`);
      await printDocument(values, "yaml", shell);
    }
  } else {
    const found = namespaces.filter(({ namespace }) => namespace === choice.namespace);
    await printDocument(onlyOne(found, choice.namespace, namespaces).values, choice.output, shell);
  }
  printErrors(errors, shell);
}

function onlyOne<Found extends { readonly cluster: string; readonly namespace: string }>(
  found: readonly Found[],
  name: string,
  all: readonly Found[],
): Found {
  const [one, ...more] = found;
  if (one && more.length === 0) return one;
  if (one) {
    throw new InputError(`namespace ${name} exists on ${found.map(({ cluster }) => cluster).join(" and ")}`, {
      next: "choose one with --cluster",
    });
  }
  const near = nearestName(
    name,
    all.map(({ namespace }) => namespace),
  );
  throw new InputError(`namespace ${name} has no integrations`, {
    next: near === undefined ? "`tenon values` without --namespace prints all" : `did you mean ${near}?`,
  });
}
