import { spawn } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";

/** How a shell starts without the settings of this machine, and what it reads first. */
const shells = {
  bash: { start: "bash --norc --noprofile -i", setup: ["source <(tenon completion bash)"] },
  zsh: { start: "zsh -f -i", setup: ["autoload -U compinit", "compinit -u -D", "source <(tenon completion zsh)"] },
  fish: { start: "fish --no-config -i", setup: ["tenon completion fish | source"] },
} as const;
export type ShellName = keyof typeof shells;

const limitMs = 5 * 60_000;
const [tab, lineStart] = ["\t", "\u0001"];

/**
 * The command line after Tab was pressed at the end of it, in a real shell in a pseudo-terminal: the line is made an argument of
 * `echo`, so that the shell itself says what it has become.
 */
export async function completeLine(
  shell: ShellName,
  line: string,
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<string> {
  const { start, setup } = shells[shell];
  const child = spawn("script", ["--quiet", "--flush", "--command", `stty cols 200; exec ${start}`, "/dev/null"], {
    cwd: folder,
    env: { ...env, TERM: "dumb", SHELL: "/bin/sh" },
  });
  const closed = once(child, "close");
  let text = "";
  let wake: (() => void) | undefined;
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      wake?.();
    });
  }
  const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
  const until = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(stripVTControlCharacters(text.replaceAll("\r", "")));
      if (found) return found[1] ?? "";
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${shell} has ended:\n${text}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  child.on("exit", () => wake?.());
  try {
    // Printed by the command and not by the echo of what is typed.
    child.stdin.write(`${[...setup, "echo ready-$(echo now)"].join("; ")}\r`);
    await until(/ready-now/);
    child.stdin.write(`${line}${tab}${lineStart}echo "end"-of-line `);
    child.stdin.write("\r");
    return await until(/^end-of-line (.*?) *$/m);
  } finally {
    child.stdin.end("exit\r");
    await closed;
    clearTimeout(timer);
  }
}
