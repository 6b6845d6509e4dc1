import { declareGetPlugs, declareGetSockets } from "../couple/show-coupled.ts";
import type { LazyCommand } from "../lazy-command.ts";
import { declareExplainIntegration } from "../manage/explain-integration-options.ts";
import { declareGetIntegrations } from "../manage/get-integrations.ts";
import type { Shell } from "../shell.ts";

/** What `tenon get` lists: by the plural that the user types, what declares the command. It imports nothing that is not cheap. */
export const listedKinds: Readonly<Record<string, (command: LazyCommand, shell: Shell) => void>> = {
  integrations: declareGetIntegrations,
  plugs: declareGetPlugs,
  sockets: declareGetSockets,
};

/** What the file that explains a kind exports. */
export interface ExplainFile {
  /** `name` is all that follows the first slash; `options` are those of `tenon explain`, as they were given. */
  explain(name: string, options: unknown, shell: Shell): Promise<void>;
}

export interface ExplainedKind {
  /** What follows the kind: `NAME`, or `NAMESPACE/NAME`. */
  readonly form: string;
  /** Adds the options of this kind to `tenon explain`. */
  readonly declare: (command: LazyCommand, shell: Shell) => void;
  readonly load: () => Promise<ExplainFile>;
}

/** What `tenon explain` explains, by the singular before the slash. */
export const explainedKinds: Readonly<Record<string, ExplainedKind>> = {
  integration: {
    form: "NAME",
    declare: declareExplainIntegration,
    load: () => import("../manage/explain-integration.ts"),
  },
  plug: {
    form: "NAMESPACE/NAME",
    declare: () => {}, // it needs no options of its own
    load: () => import("../couple/explain-plug.ts"),
  },
};
