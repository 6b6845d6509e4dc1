import type { ShellOutput, Shell } from "../shell.ts";

/** Whether to use colour: https://no-color.org, https://force-color.org */
export function hasColour(output: ShellOutput, env: Shell["env"]): boolean {
  const forced = env["FORCE_COLOR"];
  return forced === undefined ? canRedraw(output, env) : forced !== "0" && forced !== "false";
}

/** Whether a line may be redrawn: only on a terminal that a person watches. */
export function canRedraw(output: ShellOutput, env: Shell["env"]): boolean {
  return output.isTTY === true && env["TERM"] !== "dumb" && !env["NO_COLOR"] && !isContinuousIntegration(env);
}

/** Whether a person can answer a question. */
export function canAsk({ stdin, stderr, env }: Pick<Shell, "stdin" | "stderr" | "env">): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && !isContinuousIntegration(env);
}

function isContinuousIntegration({ CI }: Shell["env"]): boolean {
  return CI !== undefined && !["", "0", "false"].includes(CI);
}
