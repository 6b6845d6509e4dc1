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
const manage = "Integrations:";
const couple = "Plugs and sockets:";
const control = "What runs:";
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
    name: "plan",
    summary: "show what would change on the clusters",
    group: manage,
    load: () => import("./manage/plan.ts"),
  },
  {
    name: "apply",
    summary: "show what would change, ask, and do it",
    group: manage,
    load: () => import("./manage/apply.ts"),
  },
  {
    name: "values",
    summary: "print the values that the chart gets",
    group: manage,
    load: () => import("./manage/values.ts"),
  },
  {
    name: "couple",
    summary: "see what plugs would do, try one again, or give up on one",
    group: couple,
    load: () => import("./couple/couple.ts"),
  },
  {
    name: "graph",
    summary: "show which plugs are on which sockets",
    group: couple,
    load: () => import("./couple/graph.ts"),
  },
  {
    name: "run",
    summary: "keep clusters as they should be, until interrupted",
    group: control,
    load: () => import("./control/run.ts"),
  },
  {
    name: "get",
    summary: "list what runs, and what is wrong with it",
    group: control,
    load: () => import("./control/get.ts"),
  },
  {
    name: "explain",
    summary: "say where each value comes from",
    group: control,
    load: () => import("./control/explain.ts"),
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
