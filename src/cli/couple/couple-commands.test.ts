import { expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

test.for([
  { words: ["couple", "plan"], says: "required option '-f, --file <file>' not specified", reason: "there is no file" },
  { words: ["couple", "retry"], says: "missing required argument 'name'", reason: "there is no plug" },
  { words: ["couple", "check-apparatus"], says: "missing required argument 'url'", reason: "there is no URL" },
  { words: ["couple", "release"], says: "missing required argument 'object'", reason: "there is no object" },
  {
    words: ["graph", "-o", "png"],
    says: "Allowed choices are tree, dot, mermaid, json, yaml",
    reason: "no such format",
  },
  {
    words: ["graph", "-A", "-n", "shop"],
    says: "cannot be used with option '-n, --namespace <name>'",
    reason: "all namespaces and one of them",
  },
  {
    words: ["graph", "-A", "--kubeconfig", "/proc/nowhere/kubeconfig"],
    says: "/proc/nowhere/kubeconfig",
    reason: "-A is the default, and there is no kubeconfig",
  },
  { words: ["couple", "relase", "x"], says: "did you mean release?", reason: "a typing error" },
  { words: ["explain", "plug"], says: "plug/NAMESPACE/NAME", reason: "there is no name" },
])("`tenon` with $words fails: $reason", async ({ words, says }) => {
  const shell = new FakeShell();
  expect(await runCommandLine(words, shell)).toBe(1);
  expect(shell.stderr.text).toContain(says);
});

test("`tenon get plugs` names a missing kubeconfig", async () => {
  const shell = new FakeShell();
  expect(await runCommandLine(["get", "plugs", "--kubeconfig", "/proc/nowhere/kubeconfig"], shell)).toBe(1);
  expect(shell.stderr.text).toContain("/proc/nowhere/kubeconfig");
});
