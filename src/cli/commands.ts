import type { LazyCommand } from "./lazy-command.ts";
import type { Shell } from "./shell.ts";

/** Adds the description, arguments, options, subcommands and action of a command. */
export type DeclareCommand = (command: LazyCommand, shell: Shell) => void;

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly group: string;
  readonly hidden?: boolean;
  /** Imports the file that declares the command, which imports little: its actions import the rooms they need. */
  readonly load: () => Promise<DeclareCommand>;
}

const start = "Start here:";
const data = "Data:";
const manage = "Integrations:";
const couple = "Plugs and sockets:";
const promote = "Images:";
const control = "Run and inspect:";
const machine = "This machine:";
const shell = "Shell:";

/** All commands. `tenon --help` is printed from this table alone, without importing any of their files. */
export const commands: readonly CommandEntry[] = [
  {
    name: "up",
    summary: "start a local Kubernetes cluster with example integrations",
    group: start,
    load: async () => (await import("./cluster/cluster-commands.ts")).upCommand,
  },
  {
    name: "down",
    summary: "stop what `tenon up` started, and keep its data",
    group: start,
    load: async () => (await import("./cluster/cluster-commands.ts")).downCommand,
  },
  {
    name: "help",
    summary: "explain a command",
    group: start,
    load: async () => (await import("./help.ts")).helpCommand,
  },
  {
    name: "data",
    summary: "validate, query, bundle, serve and compare data files",
    group: data,
    load: async () => (await import("./data/data-commands.ts")).dataCommand,
  },
  {
    name: "chart",
    summary: "render Helm charts without Helm",
    group: data,
    load: async () => (await import("./chart/chart-commands.ts")).chartCommand,
  },
  {
    name: "plan",
    summary: "show what would change on the clusters",
    group: manage,
    load: async () => (await import("./manage/manage-commands.ts")).planCommand,
  },
  {
    name: "apply",
    summary: "show what would change on the clusters, ask, and apply it",
    group: manage,
    load: async () => (await import("./manage/manage-commands.ts")).applyCommand,
  },
  {
    name: "values",
    summary: "print the Helm values of integrations",
    group: manage,
    load: async () => (await import("./manage/manage-commands.ts")).valuesCommand,
  },
  {
    name: "render",
    summary: "print the objects of an integration, without a cluster",
    group: manage,
    load: async () => (await import("./manage/manage-commands.ts")).renderCommand,
  },
  {
    name: "suspend",
    summary: "keep integrations as they are, with a reason",
    group: manage,
    load: async () => (await import("./manage/operate-commands.ts")).suspendCommand,
  },
  {
    name: "resume",
    summary: "undo `tenon suspend`",
    group: manage,
    load: async () => (await import("./manage/operate-commands.ts")).resumeCommand,
  },
  {
    name: "forget",
    summary: "forget a cluster that is gone for good",
    group: manage,
    load: async () => (await import("./manage/manage-commands.ts")).forgetCommand,
  },
  {
    name: "history",
    summary: "list what was applied",
    group: manage,
    load: async () => (await import("./manage/operate-commands.ts")).historyCommand,
  },
  {
    name: "rollback",
    summary: "go back to an earlier state, after showing the plan and asking",
    group: manage,
    load: async () => (await import("./manage/operate-commands.ts")).rollbackCommand,
  },
  {
    name: "couple",
    summary: "plan, retry and release plugs, and check an apparatus",
    group: couple,
    load: async () => (await import("./couple/couple-commands.ts")).coupleCommand,
  },
  {
    name: "graph",
    summary: "show which plugs are coupled to which sockets",
    group: couple,
    load: async () => (await import("./couple/couple-commands.ts")).graphCommand,
  },
  {
    name: "promote",
    summary: "make and test Snapshots, and follow images into GitOps",
    group: promote,
    load: async () => (await import("./promote/promote-commands.ts")).promoteCommand,
  },
  {
    name: "image",
    summary: "move tags, copy images with their signatures, inspect them",
    group: promote,
    load: async () => (await import("./image/image-commands.ts")).imageCommand,
  },
  {
    name: "run",
    summary: "reconcile clusters until interrupted",
    group: control,
    load: async () => (await import("./control/control-commands.ts")).runCommand,
  },
  {
    name: "dra-driver",
    summary: "give pods of this node environments by resource claims",
    group: control,
    load: async () => (await import("./promote/dra-driver.ts")).draDriverCommand,
  },
  {
    name: "get",
    summary: "list integrations, plugs, Releases and more, with problems",
    group: control,
    load: async () => (await import("./control/control-commands.ts")).getCommand,
  },
  {
    name: "explain",
    summary: "show where each value comes from, and how far a Release is",
    group: control,
    load: async () => (await import("./control/control-commands.ts")).explainCommand,
  },
  {
    name: "console",
    summary: "see what runs, what waits, and why, in a browser",
    group: control,
    load: async () => (await import("./console/console-command.ts")).consoleCommand,
  },
  {
    name: "doctor",
    summary: "check this machine, or Tenon's rights on a cluster",
    group: machine,
    load: async () => (await import("./machine/doctor.ts")).doctorCommand,
  },
  {
    name: "cluster",
    summary: "run real Kubernetes on this machine, without root or containers",
    group: machine,
    load: async () => (await import("./cluster/cluster-commands.ts")).clusterCommand,
  },
  {
    name: "completion",
    summary: "print a script for completion with the Tab key",
    group: shell,
    load: async () => (await import("./completion.ts")).completionCommand,
  },
  {
    name: "__complete",
    summary: "list completions; for the scripts of `tenon completion`",
    group: shell,
    hidden: true,
    load: async () => (await import("./completion.ts")).completeCommand,
  },
];
