import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commands } from "./commands.ts";
import { completeWords } from "./complete-words.ts";
import { FakeShell } from "./fake-shell.fixture.ts";
import { createProgram } from "./create-program.ts";

async function complete(words: string[], env: NodeJS.ProcessEnv = {}) {
  const candidates = await completeWords(createProgram(new FakeShell({ env })), words);
  return candidates.map(({ word }) => word);
}

const visible = commands.filter(({ hidden }) => hidden !== true).map(({ name }) => name);

describe("completeWords", () => {
  test.for([
    {
      words: [""],
      candidates: visible,
      reason: "all but hidden ones",
    },
    { words: ["d"], candidates: ["down", "data", "dra-driver", "doctor"], reason: "commands that start with d" },
    { words: ["cluster", "st"], candidates: ["start", "stop", "status"], reason: "subcommands, by loading their file" },
    { words: ["--v"], candidates: ["--version"], reason: "options of tenon itself" },
    { words: ["cluster", "reset", "-"], candidates: ["--name", "--yes", "-y", "--help", "-h"], reason: "its options" },
    { words: ["cluster", "status", "-o", ""], candidates: ["table", "json", "yaml", "markdown"], reason: "a choice" },
    { words: ["cluster", "status", "--output", "y"], candidates: ["yaml"], reason: "the long form" },
    {
      words: ["cluster", "status", "--output=j"],
      candidates: ["--output=json"],
      reason: "as zsh and fish split words",
    },
    { words: ["cluster", "status", "--output", "=", "j"], candidates: ["json"], reason: "as bash splits words" },
    {
      words: ["cluster", "status", "--output", "="],
      candidates: ["table", "json", "yaml", "markdown"],
      reason: "bash",
    },
    { words: ["cluster", "start", "--port", "1"], candidates: [], reason: "a number cannot be guessed" },
    {
      words: ["cluster", "start", "--port", "1", "--f"],
      candidates: ["--fake-nodes"],
      reason: "an option after the number",
    },
    { words: ["completion", ""], candidates: ["bash", "zsh", "fish"], reason: "a choice of arguments" },
    { words: ["completion", "bash", ""], candidates: [], reason: "no further arguments" },
    { words: ["up", "--kubeconfig", "./"], candidates: [":files"], reason: "the shell completes files" },
    { words: ["up", "--kubeconfig=./"], candidates: [":files"], reason: "the shell completes files" },
    { words: ["data", "validate", "./"], candidates: [":files"], reason: "a source is a path" },
    { words: ["cluster", "load", "a.tar", ""], candidates: [":files"], reason: "one file after another" },
    { words: ["up", "--", "-"], candidates: [], reason: "no options after --" },
    { words: ["nonsense", ""], candidates: visible, reason: "an unknown command" },
    { words: [], candidates: visible, reason: "no word yet" },
  ])("$words -> $candidates: $reason", async ({ words, candidates }) => {
    expect(await complete(words)).toEqual(candidates);
  });

  test("completion lists the names of instances and contexts", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
    const instance = join(directory.path, "tenon", "clusters", "alpha");
    await mkdir(instance, { recursive: true });
    await writeFile(join(instance, "instance.json"), '{"kubernetes":"v1.37.1","port":1,"fakeNodes":0}');
    const kubeconfig = join(directory.path, "config");
    await writeFile(kubeconfig, "contexts: [{name: staging}]");
    const env = { XDG_DATA_HOME: directory.path, KUBECONFIG: kubeconfig };
    expect(await complete(["cluster", "stop", "--name", ""], env)).toEqual(["alpha"]);
    expect(await complete(["up", "--context", "s"], env)).toEqual(["staging"]);
    expect(await complete(["couple", "retry", "--instance=a"], env)).toEqual(["--instance=alpha"]);
  });

  test("completion lists the integrations of the data that tenon.yaml names", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
    await writeFile(join(directory.path, "tenon.yaml"), `data: ${join(process.cwd(), "examples", "data")}\n`);
    const before = process.cwd();
    process.chdir(directory.path);
    try {
      expect(await complete(["get", "integrations", "pri"])).toEqual(["price-feed"]);
      expect(await complete(["get", "integrations", "price-feed", "dns"])).toEqual(["dns-mirror"]);
      expect(await complete(["explain", "integration/pri"])).toEqual(["integration/price-feed"]);
      expect(await complete(["render", "integration/pri"])).toEqual(["integration/price-feed"]);
      expect(await complete(["suspend", "pri"])).toEqual(["price-feed"]);
      expect(await complete(["plan", "--integration", "pri"])).toEqual(["price-feed"]);
    } finally {
      process.chdir(before);
    }
  });

  test("completion offers nothing when names cannot be read", async () => {
    expect(await complete(["up", "--context", ""], { KUBECONFIG: "/proc/self" })).toEqual([]);
  });
});
