import { InputError } from "#base";
import { gitCache } from "#git";
import { planPropagation, Propagation, type StagePlan } from "#promotion";
import { readManifests } from "../couple/read-manifests.ts";
import { QuietExit } from "../exits.ts";
import { openShellRegistries, type RegistryChoice } from "../image/shell-registries.ts";
import type { Shell } from "../shell.ts";
import { paint } from "../terminal/paint.ts";
import { printDocument } from "../terminal/print-rows.ts";
import { safeText } from "../terminal/visible-text.ts";

export interface PropagationPlanChoice extends RegistryChoice {
  readonly file: string;
  readonly exitZero: boolean;
  readonly output: "table" | "json" | "yaml";
}

interface PlannedPropagation {
  readonly propagation: string;
  readonly stages: readonly StagePlan[];
}

/** `tenon promote plan`: prints the lines that pull requests would change. */
export async function printPropagationPlan(choice: PropagationPlanChoice, shell: Shell): Promise<void> {
  const objects = await readManifests(choice.file, "default", shell);
  const found = objects.filter(
    ({ object }) => object.apiVersion === Propagation.apiVersion && object.kind === Propagation.kind,
  );
  if (found.length === 0) {
    throw new InputError(`the file has no ${Propagation.kind} of ${Propagation.apiVersion}`, { where: choice.file });
  }
  await using registries = await openShellRegistries(choice, shell);
  const deps = { registries, cache: gitCache(shell.env) };
  const planned: PlannedPropagation[] = [];
  for (const { object } of found) {
    const propagation = Propagation.parse(object);
    const stages = await planPropagation(propagation, deps, shell.signal);
    planned.push({ propagation: `${object.metadata.namespace}/${object.metadata.name}`, stages });
  }
  if (choice.output === "table") for (const { stages } of planned) printStages(stages, shell);
  else await printDocument(planned, choice.output, shell);
  const changed = planned.flatMap(({ stages }) => stages).flatMap(({ files }) => files.flatMap((file) => file.changes));
  if (changed.length > 0 && !choice.exitZero) throw new QuietExit(2);
}

function printStages(stages: readonly StagePlan[], { stdout, env }: Shell): void {
  const write = (text: string, colour?: "red" | "green" | "yellow") =>
    stdout.write(`${colour === undefined ? text : paint(colour, text, stdout, env)}\n`);
  for (const { stage, repository, branch, commit, files, unreferenced } of stages) {
    write(`${stage}: ${safeText(repository)}, branch ${safeText(branch)} at ${commit.slice(0, 7)}`);
    for (const { path, changes, problems } of files) {
      for (const { line, before, after } of changes) {
        write(`  ${safeText(path)}:${line}`);
        write(`    - ${safeText(before.trim())}`, "red");
        write(`    + ${safeText(after.trim())}`, "green");
      }
      for (const { line, reason } of problems) {
        write(`  ! ${safeText(path)}${line === undefined ? "" : `:${line}`}: ${safeText(reason)}`, "yellow");
      }
    }
    for (const image of unreferenced) write(`  ! ${image}: no file refers to it`, "yellow");
    const count = files.reduce((sum, { changes }) => sum + changes.length, 0);
    write(count === 0 ? "  nothing to change" : `  ${count} ${count === 1 ? "line" : "lines"} to change`);
  }
}
