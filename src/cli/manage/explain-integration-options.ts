import type { LazyCommand } from "../lazy-command.ts";
import { dataOptions, renderingOptions } from "./manage-options.ts";

/** Adds what `tenon explain integration/NAME` needs. */
export function declareExplainIntegration(command: LazyCommand): void {
  renderingOptions(dataOptions(command));
}
