import { clusterOptions } from "../cluster-options.ts";
import { examples } from "../examples.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { outputOption } from "../output-option.ts";
import type { Shell } from "../shell.ts";
import { configOption } from "./config-option.ts";
import { explainedKinds } from "./kinds.ts";

/** `tenon explain` */
export function declare(command: LazyCommand, shell: Shell): void {
  const kinds = Object.entries(explainedKinds);
  const forms = kinds.map(([kind, { form }]) => `${kind}/${form}`).join(", ");
  command
    .description("Say of each value what it is, where it comes from, and what it overrode.")
    .argument("<object>", forms);
  outputOption(command);
  configOption(command);
  clusterOptions(command, shell);
  for (const [, { declare: declareKind }] of kinds) declareKind(command, shell);
  command.action(async (object: string, options: unknown) => {
    const [, kind = object, name = ""] = /^([^/]*)\/(.+)$/.exec(object) ?? [];
    const explained = Object.hasOwn(explainedKinds, kind) ? explainedKinds[kind] : undefined;
    if (!explained || name === "") command.error(`'${object}' is none of ${forms}`);
    else await (await explained.load()).explain(name, options, shell);
  });
  examples(command, [
    ["tenon explain integration/price-feed --data examples/data", "every setting and parameter of an integration"],
    ["tenon explain integration/price-feed --data examples/data -o json", "the same for a program"],
    ["tenon explain plug/shop/db", "every value that a plug and its socket exchange"],
  ]);
}
