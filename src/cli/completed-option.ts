import { Option } from "commander";

/** The paths of files, or whatever the function finds when the user presses Tab. */
export type ValueSource = "files" | (() => Promise<readonly string[]>);

/** An option whose values the shell completes, though they are no fixed choice. */
export class CompletedOption extends Option {
  readonly values: ValueSource;

  constructor(flags: string, description: string, values: ValueSource) {
    super(flags, description);
    this.values = values;
  }
}
