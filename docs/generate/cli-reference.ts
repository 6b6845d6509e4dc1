import { constants } from "node:os";
import type { Argument, Option } from "commander";
import { commands } from "../../src/cli/commands.ts";
import { FakeShell } from "../../src/cli/fake-shell.fixture.ts";
import type { LazyCommand } from "../../src/cli/lazy-command.ts";
import { createProgram } from "../../src/cli/create-program.ts";
import { saysNothing } from "../../src/cli/narrow-help.ts";
import { code, generatedFrom, page, paragraphs, prose, table } from "./markdown.ts";

/** The page of all commands, generated from the command tree of the CLI. */
export async function cliReference(): Promise<string> {
  const shell = new FakeShell({ columns: 1000 });
  const program = createProgram(shell);
  const hidden = new Set(commands.filter((entry) => entry.hidden).map(({ name }) => name));
  const tops = await loadedChildren(program);
  const describe = (command: LazyCommand) => describeTree(command, shell);
  const shown = await Promise.all(tops.filter((command) => !hidden.has(command.name())).map(describe));
  const forScripts = await Promise.all(tops.filter((command) => hidden.has(command.name())).map(describe));
  return page(
    generatedFrom("the commands in `src/cli/`"),
    "# The command line",
    [
      "`tenon` is one program with commands; `./bin/tenon` runs it from a checkout.",
      "Results go to standard output, progress, questions and errors to standard error.",
      'Each command explains itself with `--help`, and so does "tenon help COMMAND".',
    ].join("\n"),
    overview(),
    "## Options of every command",
    optionTable([...program.createHelp().visibleOptions(program)]),
    "`--version` belongs to `tenon` itself.",
    "## Commands",
    ...shown.flat(),
    "## Commands for scripts",
    "`--help` does not show these; the scripts of `tenon completion` call them, and they may change together.",
    ...forScripts.flat(),
    exitCodes(),
    environment(),
  );
}

async function loadedChildren(command: LazyCommand): Promise<LazyCommand[]> {
  const children = await Promise.all(command.commands.map((child) => command.find(child.name())));
  return children.filter((child) => child !== undefined);
}

async function describeTree(command: LazyCommand, shell: FakeShell): Promise<string[]> {
  const children = await loadedChildren(command);
  const below = await Promise.all(children.map((child) => describeTree(child, shell)));
  return [...describeCommand(command, readExamples(command, shell)), ...below.flat()];
}

function describeCommand(command: LazyCommand, examples: readonly Example[]): string[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== "--help");
  const operands = help.visibleArguments(command);
  const subcommands = help.visibleCommands(command);
  return [
    `### ${command.path}`,
    sentences(prose(command.description())),
    block([`${command.path} ${command.usage()}`.trimEnd()]),
    ...(operands.length === 0 ? [] : [argumentTable(operands)]),
    ...(options.length === 0 ? [] : [optionTable(options)]),
    ...(subcommands.length === 0
      ? []
      : [`Subcommands: ${subcommands.map((child) => link(`${command.path} ${child.name()}`)).join(", ")}.`]),
    ...(examples.length === 0 ? [] : ["Examples:", table(["Line", "What it is for"], examples.map(exampleRow))]),
  ];
}

interface Example {
  readonly line: string;
  readonly meaning: string;
}

/** Reads the examples from the help text, because commander keeps them nowhere else. */
function readExamples(command: LazyCommand, shell: FakeShell): Example[] {
  shell.stdout.text = "";
  command.outputHelp();
  const [, section = ""] = shell.stdout.text.split("\nExamples:\n");
  return section
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((text) => {
      const [line = "", meaning = ""] = text.trim().split(/ {2,}/);
      return { line, meaning };
    });
}

function exampleRow({ line, meaning }: Example): string[] {
  return [code(line), prose(meaning)];
}

function optionTable(options: readonly Option[]): string {
  return table(
    ["Option", "Meaning", "Default", "Choices"],
    options.map((option) => [
      code(option.flags),
      prose(option.description),
      saysNothing(option.defaultValue) ? "" : code(String(option.defaultValue)),
      choices(option),
    ]),
  );
}

function argumentTable(operands: readonly Argument[]): string {
  return table(
    ["Argument", "Meaning", "Choices"],
    operands.map((operand) => [
      code(`${operand.name()}${operand.variadic ? "..." : ""}`),
      `${prose(operand.description)}${operand.required ? "" : "; may be left out"}`,
      choices(operand),
    ]),
  );
}

function choices({ argChoices = [] }: Pick<Option | Argument, "argChoices">): string {
  return argChoices.map(code).join(", ");
}

function overview(): string {
  const shown = commands.filter(({ hidden = false }) => !hidden);
  return table(
    ["Command", "What it does"],
    shown.map(({ name, summary }) => [link(`tenon ${name}`), prose(summary)]),
  );
}

/** Links to the heading of a command, by the rules of GitHub. */
function link(path: string): string {
  return `[${code(path)}](#${path.replaceAll(" ", "-")})`;
}

/** One sentence per line. */
function sentences(text: string): string {
  return text.replaceAll(/\. (?=[A-Z])/g, ".\n");
}

function block(lines: readonly string[]): string {
  return ["```text", ...lines, "```"].join("\n");
}

function exitCodes(): string {
  const signals = (["SIGHUP", "SIGINT", "SIGPIPE", "SIGTERM"] as const).map((name) => [
    code(String(128 + constants.signals[name])),
    signalMeanings[name],
  ]);
  const rows = [
    [code("0"), "Done; also after `--help` and `--version`."],
    [code("1"), "Failed, or the command line is not valid; standard error says what to do next."],
    [code("2"), "Only from `tenon plan`: no errors, but changes; `--exit-zero` makes it 0."],
    ...signals,
  ];
  return paragraphs(
    "## Exit codes",
    table(["Code", "Meaning"], rows),
    [
      "`tenon doctor` fails when one of its checks fails.",
      "`tenon` and commands with subcommands print their help to standard error and exit with `1` if none is given.",
      "The first signal lets a command clean up; a second one ends it at once.",
    ].join("\n"),
  );
}

const signalMeanings = {
  SIGHUP: "Ended by SIGHUP: the terminal was closed.",
  SIGINT: "Ended by SIGINT: Ctrl-C.",
  SIGPIPE: "The reader of standard output ended first, as `head` does.",
  SIGTERM: "Ended by SIGTERM.",
} as const;

function environment(): string {
  const rows = [
    [
      "`XDG_CACHE_HOME`",
      "Directory of the embedded cluster's binaries, in `tenon/cluster/`, and of compiled code, in `tenon/compile-cache/`, and of desired states of earlier runs, in `tenon/desired/`; default `~/.cache`.",
    ],
    ["`XDG_DATA_HOME`", "Directory of the instances' data, in `tenon/clusters/`; default `~/.local/share`."],
    ["`KUBECONFIG`", "Kubeconfig files, separated by colons; default `~/.kube/config`. `--kubeconfig` overrides it."],
    [
      "`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`",
      "The proxy to API servers, as for kubectl; `proxy-url` of the kubeconfig overrides them.",
    ],
    ["`NO_COLOR`", "Not empty: no colour and no redrawn lines."],
    ["`FORCE_COLOR`", "`0` or `false`: no colour. Any other value: colour, even into a pipe; overrides `NO_COLOR`."],
    ["`TERM`", "`dumb`: same as `NO_COLOR`."],
    ["`CI`", "Anything but empty, `0` and `false`: no colour, no redrawn lines, and no questions."],
    [
      "`TENON_DATA_TOKEN`",
      "The token that `tenon data serve` requires and `tenon data query` sends, unless --token-file is given.",
    ],
    [
      "`LOAD_METHOD`, `DATAFILES_FILE`, `INIT_BUNDLES`, `BUNDLE_SHA_TTL`",
      "What `tenon data serve` loads without a source, as for qontract-server; see [Serve the data](../how-to/serve-the-data.md).",
    ],
    [
      "`ENVIRONMENT_NAME`, `RUN_ONCE` and others",
      "Settings of `tenon plan`, `apply`, `run` and others; see [Configuration](configuration.md).",
    ],
    [
      "`WATCH_NAMESPACE`, `MAX_CONCURRENT_RECONCILES`",
      "`--namespaces` of `tenon run --only couple`, and how many plugs and sockets it reconciles at once; as for integration-operator.",
    ],
    ["`TENON_DEBUG`", "Not empty: errors include the stack."],
    ["`TENON_CALLED_AS`", "Internal: `bin/tenon` sets it, so that printed commands can be copied."],
  ];
  return paragraphs(
    "## Environment",
    table(["Variable", "Meaning"], rows),
    [
      "Without a terminal, a command that needs confirmation fails and names `--yes`.",
      "In a pod without a kubeconfig, Tenon uses the pod's service account.",
    ].join("\n"),
  );
}
