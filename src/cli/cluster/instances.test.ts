import { mkdir, mkdtempDisposable, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { FakeShell, type FakeShellOptions } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { requireInstanceName } from "./instances.ts";

test.for(["default", "a", "0", "a-1", "a".repeat(40)])("%s is a valid instance name", (name) => {
  expect(requireInstanceName(name)).toBe(name);
});

test.for([
  { name: "", reason: "empty" },
  { name: "Default", reason: "upper case" },
  { name: "-a", reason: "a dash in front" },
  { name: "a-", reason: "a dash at the end" },
  { name: "a.b", reason: "a dot" },
  { name: "../../etc", reason: "a path" },
  { name: "a\n", reason: "a newline at the end" },
  { name: "é", reason: "not ASCII" },
  { name: "a".repeat(41), reason: "too long" },
])("$name is not a valid instance name: $reason", ({ name }) => {
  expect(() => requireInstanceName(name)).toThrow(InputError);
});

/** A home with a stopped instance named `old`, and the incomplete directory of one that never started. */
async function makeHome() {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-cli-"));
  const data = join(directory.path, "data", "tenon", "clusters");
  for (const name of ["old", "remains"]) {
    await mkdir(join(data, name), { recursive: true });
    await writeFile(join(data, name, "lock"), "");
  }
  const instance = { kubernetes: "v1.37.1", port: 16443, fakeNodes: 3 };
  await writeFile(join(data, "old", "instance.json"), JSON.stringify(instance));
  const env = { XDG_DATA_HOME: join(directory.path, "data"), XDG_CACHE_HOME: join(directory.path, "cache") };
  return { data, env, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

async function runIn(options: FakeShellOptions, ...words: string[]) {
  const shell = new FakeShell(options);
  return { exitCode: await runCommandLine(words, shell), stdout: shell.stdout.text, stderr: shell.stderr.text };
}

describe("tenon cluster", () => {
  test("`tenon cluster status` lists instances", async () => {
    await using home = await makeHome();
    const { exitCode, stdout } = await runIn(home, "cluster", "status");
    expect(exitCode).toBe(0);
    expect(stdout.replaceAll(/ +/g, " ").split("\n")).toEqual([
      "NAME STATE KUBERNETES SERVER NODES TEKTON DATA",
      `old stopped v1.37.1 https://127.0.0.1:16443 3 fake - ${home.data}/old`,
      "",
    ]);
  });

  test("`tenon cluster status` fits 80 columns with whole names and addresses", async () => {
    await using home = await makeHome();
    const { stdout } = await runIn({ ...home, columns: 80 }, "cluster", "status");
    const [, line = ""] = stdout.split("\n");
    expect(line).toMatch(/^old {3}stopped {2}v1.37.1 {5}https:\/\/127.0.0.1:16443 {2}3 fake {2}- {7}….+\/old$/);
    expect(line.length).toBeLessThanOrEqual(80);
  });

  test("`tenon cluster status` without instances names the command that creates one", async () => {
    const { exitCode, stdout, stderr } = await runIn({}, "cluster", "status");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
    expect(stderr).toContain('"tenon cluster start"');
  });

  test("`tenon cluster kubeconfig` prints only the path, so that $(...) works", async () => {
    await using home = await makeHome();
    const { exitCode, stdout, stderr } = await runIn(home, "cluster", "kubeconfig", "--name", "old");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${home.data}/old/\\S+kubeconfig\\n$`));
    expect(stderr).toContain('"tenon cluster start --name old" starts it');
  });

  test("`tenon cluster kubeconfig` of a missing instance is an error with a next step", async () => {
    await using home = await makeHome();
    const { exitCode, stdout, stderr } = await runIn(home, "cluster", "kubeconfig", "--name", "new");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toBe('error: instance new not found\n  next: run "tenon cluster start --name new"\n');
  });

  test("`tenon cluster stop` of a stopped instance exits with 0", async () => {
    await using home = await makeHome();
    const { exitCode, stdout } = await runIn(home, "cluster", "stop", "--name", "old");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "instance old was not running\n" });
  });
});

describe("tenon cluster reset", () => {
  test("`tenon cluster reset` names what it deletes, and deletes it after a yes", async () => {
    await using home = await makeHome();
    const result = await runIn({ ...home, typed: ["y"] }, "cluster", "reset", "--name", "old");
    expect(result.stderr).toContain(`delete ${home.data}/old with everything in it? [y/N]`);
    expect(result).toMatchObject({ exitCode: 0, stdout: "instance old is deleted\n" });
    expect(await readdir(home.data)).toEqual(["remains"]);
  });

  test.for([
    { name: "old", options: { typed: ["n"] }, reason: "the answer is no" },
    { name: "old", options: {}, reason: "there is no terminal" },
    { name: "remains", options: {}, reason: "an incomplete directory may contain something, too" },
  ])("`tenon cluster reset` deletes nothing of $name: $reason", async ({ name, options }) => {
    await using home = await makeHome();
    const { exitCode, stderr } = await runIn({ ...home, ...options }, "cluster", "reset", "--name", name);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${home.data}/${name}`);
    expect(await readdir(home.data)).toEqual(["old", "remains"]);
  });

  test.for(["old", "remains"])("`tenon cluster reset --yes` does not ask about %s", async (name) => {
    await using home = await makeHome();
    const { exitCode } = await runIn(home, "cluster", "reset", "--yes", "--name", name);
    expect(exitCode).toBe(0);
    expect(await readdir(home.data)).not.toContain(name);
  });
});

describe("tenon down", () => {
  test("`tenon down` prints where the data is and how to delete it", async () => {
    await using home = await makeHome();
    const withoutInstance = await runIn(home, "down");
    expect(withoutInstance).toMatchObject({ exitCode: 0, stdout: "instance default was not running\n" });
    await mkdir(join(home.data, "default"));
    await writeFile(join(home.data, "default", "instance.json"), '{"kubernetes":"v1.37.1","port":1,"fakeNodes":2}');
    const { stdout } = await runIn(home, "down");
    expect(stdout).toContain(`its data is kept in ${home.data}/default;\n"tenon cluster reset" deletes it`);
  });
});

describe("tenon up", () => {
  const contexts = "contexts: [{name: staging}, {name: production}]\n";

  test.for([
    {
      words: ["--context", "stagin"],
      message: /the context "stagin" does not exist\n {2}next: did you mean staging\?/,
    },
    { words: [], message: /no current context\n {2}next: choose one with --context/ },
  ])("`tenon up` with $words fails and names the choices", async ({ words, message }) => {
    await using home = await makeHome();
    const kubeconfig = join(home.data, "config");
    await writeFile(kubeconfig, contexts);
    const { exitCode, stderr } = await runIn(home, "up", "--kubeconfig", kubeconfig, ...words);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
  });
});
