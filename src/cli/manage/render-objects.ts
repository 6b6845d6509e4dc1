import { InputError } from "#base";
import { fieldLocator, renderIntegration } from "#integrations";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { Shell } from "../shell.ts";
import { printDocument } from "../terminal/print-rows.ts";
import type { DataChoice, RenderingChoice } from "./manage-commands.ts";
import { desireOptions, openData } from "./manage-settings.ts";
import { printErrors, printNotices } from "./print-plan.ts";

export interface RenderObjectsChoice extends DataChoice, RenderingChoice {
  readonly shard?: string;
  readonly output: "yaml" | "json";
}

/** `tenon render integration/NAME`: prints the objects that it should have, without asking a cluster. */
export async function renderObjects(name: string, choice: RenderObjectsChoice, shell: Shell): Promise<void> {
  const config = await readTenonConfig(choice.config);
  const data = await (await openData(choice, config, shell))().load(shell.signal);
  const desire = desireOptions({ ...choice, integration: [] }, config, shell)();
  const locate = data.find ? { locate: fieldLocator(data.find) } : {};
  const { shard, output } = choice;
  const rendered = await renderIntegration(data, name, { ...desire, ...locate, shard }, shell.signal);
  const { namespaces, errors, warnings } = rendered;
  printNotices(warnings, shell);
  if (output === "json") await printDocument(namespaces, "json", shell);
  for (const { cluster, namespace: within, objects } of output === "json" ? [] : namespaces) {
    for (const object of objects) {
      shell.stdout.write(`---\n# ${cluster}/${within}\n`);
      await printDocument(object, "yaml", shell);
    }
  }
  printErrors(errors, shell);
  if (namespaces.length > 0) return;
  throw new InputError(`${name} has no objects in the selected namespaces`, {
    next: `\`tenon explain integration/${name}\` shows where it runs`,
  });
}
