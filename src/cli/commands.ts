import type { LazyCommand } from "./lazy-command.ts";
import type { Shell } from "./shell.ts";

/** What the file of a command exports. It may import only what is cheap; the work is imported when it is to be done. */
export interface CommandFile {
  declare(command: LazyCommand, shell: Shell): void;
}

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly group: string;
  readonly hidden?: boolean;
  readonly load: () => Promise<CommandFile>;
}

const start = "Start here:";
const data = "The data:";
const machine = "This machine:";
const shell = "This shell:";

/** All commands. `tenon --help` is printed from this table alone, without importing any of their files. */
export const commands: readonly CommandEntry[] = [
  { name: "up", summary: "start the example world", group: start, load: () => import("./up.ts") },
  { name: "down", summary: "stop the example world, keep its data", group: start, load: () => import("./down.ts") },
  { name: "help", summary: "explain a command", group: start, load: () => import("./help.ts") },
  {
    name: "data",
    summary: "validate, ask, bundle, serve and compare data files",
    group: data,
    load: () => import("./data.ts"),
  },
  {
    name: "chart",
    summary: "render Helm charts without Helm",
    group: data,
    load: () => import("./chart.ts"),
  },
  {
    name: "doctor",
    summary: "check what this machine lacks, and say how to get it",
    group: machine,
    load: () => import("./doctor.ts"),
  },
  {
    name: "cluster",
    summary: "run real Kubernetes on this machine, without root or containers",
    group: machine,
    load: () => import("./cluster.ts"),
  },
  {
    name: "completion",
    summary: "print the script that completes commands with the Tab key",
    group: shell,
    load: () => import("./completion.ts"),
  },
  {
    name: "__complete",
    summary: "say what may follow these words; for the scripts of `tenon completion`",
    group: shell,
    hidden: true,
    load: () => import("./complete.ts"),
  },
];
