import type { LazyCommand } from "../lazy-command.ts";
import { dataOptions, limitOptions, reachOptions, renderingOptions } from "./manage-options.ts";

/** Adds what `tenon run --only manage` needs, beside what every job does. */
export function declareManageJob(command: LazyCommand): void {
  renderingOptions(dataOptions(command));
  limitOptions(reachOptions(command))
    .option("--once", "one run, and no more; also $RUN_ONCE", false)
    .option("--interval <duration>", "how often the data is looked at; default: $SLEEP_DURATION_SECS or 10m")
    .option("--dry-run", "log what would change; also MANAGER_DRY_RUN=--dry-run", false);
}
