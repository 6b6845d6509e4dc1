import { Option } from "commander";
import type { LazyCommand } from "../lazy-command.ts";
import { repeated } from "../repeated-option.ts";

/** The options of `tenon run` that are for plugs and sockets. */
export function declareCouplingJob(command: LazyCommand): void {
  command
    .option("--install-crds", "couple: install or upgrade the kinds Plug and Socket at the start", false)
    .option("--allow-cluster-scoped", "couple: plugs and sockets may make objects that are in no namespace", false)
    .addOption(
      repeated(
        new Option(
          "--apparatus-endpoint-allow <host>",
          "couple: an apparatus may be at this HOST, HOST:PORT or *.DOMAIN, besides Services in its own namespace; may be given again",
        ),
      ),
    )
    .option(
      "--apparatus-token-account <name>",
      "couple: apparatuses are shown tokens of this service account, NAMESPACE/NAME; default: Tenon's own in a cluster, else none",
    )
    .option("--cluster-domain <domain>", "couple: what names of Services end with", "cluster.local")
    .option("--dev", "couple: every apparatus is at $DEBUG_PLUG_ENDPOINT or $DEBUG_SOCKET_ENDPOINT, if set", false);
}
