import type { Output, Shell } from "../shell.ts";

/** Whether colour is welcome: https://no-color.org, https://force-color.org */
export function hasColour(output: Output, env: Shell["env"]): boolean {
  const forced = env["FORCE_COLOR"];
  return forced === undefined ? canRedraw(output, env) : forced !== "0" && forced !== "false";
}

/** Whether a line may be drawn again and again: on a terminal, with a person before it. */
export function canRedraw(output: Output, env: Shell["env"]): boolean {
  return output.isTTY === true && env["TERM"] !== "dumb" && !env["NO_COLOR"] && !isContinuousIntegration(env);
}

/** Whether there is somebody to answer. */
export function canAsk({ stdin, stderr, env }: Pick<Shell, "stdin" | "stderr" | "env">): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && !isContinuousIntegration(env);
}

function isContinuousIntegration({ CI }: Shell["env"]): boolean {
  return CI !== undefined && !["", "0", "false"].includes(CI);
}
