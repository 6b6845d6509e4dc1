import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { Shell } from "./shell.ts";
import { alignPairs, textWidth } from "./terminal/text-width.ts";

/** The options with values that precede the word to complete, by the names that actions know them by. */
export type TypedOptions = Readonly<Record<string, string>>;

/** File paths, or a function that lists the values when the user presses Tab. */
export type ValueSource = "files" | ((typed: TypedOptions) => Promise<readonly string[]>);

/** An option whose values the shell completes although they are not a fixed list. */
export class CompletedOption extends Option {
  readonly values: ValueSource;

  constructor(flags: string, description: string, values: ValueSource) {
    super(flags, description);
    this.values = values;
  }
}

/** An argument whose values the shell completes although they are not a fixed list. */
export class CompletedArgument extends Argument {
  readonly values: ValueSource;

  constructor(name: string, description: string, values: ValueSource) {
    super(name, description);
    this.values = values;
  }
}

/** An option whose value is an integer in a range. */
export function integerOption(flags: string, description: string, minimum: number, maximum: number): Option {
  return new Option(flags, `${description} (${minimum} to ${maximum})`).argParser((text: string) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`Expected an integer from ${minimum} to ${maximum}.`);
  });
}

/** Lets an option be given several times. */
export function repeated<Target extends Option>(option: Target): Target {
  return option
    .argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value])
    .default([]);
}

/** An option that takes names from a list, separated by commas. */
export function namesOption(flags: string, description: string, names: readonly string[]): Option {
  return new Option(flags, description).argParser((text: string) => {
    const given = text.split(",").map((name) => name.trim());
    if (given.every((name) => names.includes(name))) return given;
    throw new InvalidArgumentError(`Choose from ${names.join(", ")}.`);
  });
}

export const outputFormats = ["table", "json", "yaml", "markdown"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Adds `-o`; the first format is the default. */
export function outputOption<Target extends Command>(
  command: Target,
  formats: readonly OutputFormat[] = outputFormats,
): Target {
  return command.addOption(new Option("-o, --output <format>", "output format").choices(formats).default(formats[0]));
}

/** Adds `--config`. */
export function configOption<Target extends Command>(command: Target): Target {
  return command.addOption(
    new CompletedOption("--config <file>", "settings file; default: ./tenon.yaml if it exists", "files"),
  );
}

export interface ClusterChoice {
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly instance?: string;
}

/** Adds `--instance`, `--context` and `--kubeconfig`, which select a cluster. */
export function clusterOptions<Target extends Command>(command: Target, shell: Shell): Target {
  return contextOptions(command, shell).addOption(
    new CompletedOption("--instance <name>", "use this instance of `tenon up` or `tenon cluster start`", async () =>
      (await import("./cluster/instances.ts")).instanceNames(shell),
    ).conflicts(["context", "kubeconfig"]),
  );
}

/** Adds `--context` and `--kubeconfig`, which select one of the user's own clusters. */
export function contextOptions<Target extends Command>(command: Target, shell: Shell): Target {
  return command
    .addOption(
      new CompletedOption("--context <name>", "use the cluster of this context in your kubeconfig", async () => {
        const { listContexts } = await import("#kube");
        return listContexts({ env: shell.env });
      }),
    )
    .addOption(
      new CompletedOption(
        "--kubeconfig <path>",
        "read this kubeconfig (default: $KUBECONFIG, else ~/.kube/config)",
        "files",
      ),
    );
}

/** Where Tenon keeps objects of its own; `--namespace` is always that of the objects a command is about. */
export function tenonNamespaceOption(kept: string): Option {
  const standard = "default: $TENON_NAMESPACE, $POD_NAMESPACE, else the context's";
  return new Option("--tenon-namespace <name>", `namespace of ${kept}; ${standard}`);
}

/** Says what to type to users of the option's former meaning. */
export function formerNamespaceOption(): Option {
  return new Option("-n, --namespace <name>", "the former name of --tenon-namespace").hideHelp().argParser(() => {
    throw new InvalidArgumentError("The namespace of Tenon's own Leases and state is --tenon-namespace.");
  });
}

/** For data repositories whose schemas are in another repository. */
export function schemasOption(): CompletedOption {
  return new CompletedOption("--schemas <source>", "where the schemas are, if not beside the data", "files");
}

/** A file, or the variable TENON_DATA_TOKEN: other users of the machine can read command-line arguments. */
export function tokenFileOption(purpose: string): CompletedOption {
  return new CompletedOption(
    "--token-file <file>",
    `file with the token ${purpose}; default: $TENON_DATA_TOKEN`,
    "files",
  );
}

/** Adds an Examples section to the help of a command: lines to type, each with its purpose. */
export function examples(command: Command, lines: readonly (readonly [line: string, purpose: string])[]): void {
  command.addHelpText("after", ({ error }) => {
    const output = command.configureOutput();
    const width = (error ? output.getErrHelpWidth?.() : output.getOutHelpWidth?.()) ?? Infinity;
    const columns = alignPairs(lines);
    const fits = columns.split("\n").every((line) => textWidth(line) <= width);
    return `\nExamples:\n${fits ? columns : lines.map(([line, purpose]) => `  # ${purpose}\n  ${line}`).join("\n")}`;
  });
}
