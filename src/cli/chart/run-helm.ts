import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { CommandFailed, InputError } from "#base";
import type { RenderChoice } from "./chart-commands.ts";
import type { Shell } from "../shell.ts";

/** The output of the user's own helm for the same options. */
export async function runHelm(chart: string, choice: RenderChoice, shell: Shell): Promise<string> {
  const { env, signal } = shell;
  const child = spawn("helm", helmArguments(chart, choice), { env, signal, stdio: ["inherit", "pipe", "pipe"] });
  const started = once(child, "spawn").catch((cause: unknown) => {
    if (signal.aborted) throw signal.reason;
    throw new InputError("cannot start helm", {
      next: "install it and put it on the PATH, or leave out --renderer helm",
      cause,
    });
  });
  const [, printed, complaints, [code]] = await Promise.all([
    started,
    text(child.stdout),
    text(child.stderr),
    started.then(() => once(child, "close")),
  ]);
  if (code === 0) {
    if (complaints !== "") shell.stderr.write(complaints);
    return printed;
  }
  throw new CommandFailed(`helm failed: ${complaints.trim().replace(/^Error: /, "")}`, { where: chart });
}

function helmArguments(chart: string, choice: RenderChoice): string[] {
  return [
    "template",
    choice.name,
    chart,
    "--namespace",
    choice.namespace,
    ...repeated("--values", choice.values),
    ...repeated("--set", choice.set),
    ...repeated("--set-string", choice.setString),
    ...repeated("--set-json", choice.setJson),
    ...repeated("--set-file", choice.setFile),
    ...repeated("--set-literal", choice.setLiteral),
    ...repeated("--api-versions", choice.apiVersions),
    ...(choice.kubeVersion === undefined ? [] : ["--kube-version", choice.kubeVersion]),
    ...(choice.includeCrds ? ["--include-crds"] : []),
    ...(choice.hooks ? [] : ["--no-hooks"]),
    ...(choice.skipTests ? ["--skip-tests"] : []),
    ...(choice.skipSchemaValidation ? ["--skip-schema-validation"] : []),
    ...(choice.isUpgrade ? ["--is-upgrade"] : []),
  ];
}

function repeated(flag: string, values: readonly string[]): string[] {
  return values.flatMap((value) => [flag, value]);
}
