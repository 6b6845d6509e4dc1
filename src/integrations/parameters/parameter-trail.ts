/** Who gave a parameter its value. What comes later in this list wins. */
export type ParameterSource =
  | "chart default"
  | "environment"
  | "process environment"
  | "upstream repositories"
  | "command line"
  | "built-in default"
  | "computed";

/** A value that a parameter has, or had before something stronger gave it another. */
export interface ParameterValue {
  readonly value: string;
  readonly source: ParameterSource;
  /** Which one of its kind: the environment's name, the option as it was given. */
  readonly detail?: string | undefined;
}

export interface ParameterEntry extends ParameterValue {
  /** Whether a Template of the chart has this parameter; without, its value goes nowhere. */
  readonly isDeclared: boolean;
  /** What it would have been otherwise, strongest first. */
  readonly overrode: readonly ParameterValue[];
}

/** For each parameter its value, who gave it, and what that overrode. */
export type ParameterTrail = ReadonlyMap<string, ParameterEntry>;
