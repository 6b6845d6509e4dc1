import type { LazyCommand } from "../lazy-command.ts";

/** The options of `tenon run` that are for plugs and sockets. */
export function declareCouplingJob(command: LazyCommand): void {
  command
    .option("--install-crds", "couple: install or upgrade the kinds Plug and Socket at the start", false)
    .option("--allow-cluster-scoped", "couple: plugs and sockets may make objects that are in no namespace", false);
}
