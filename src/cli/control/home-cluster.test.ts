import { expect, test } from "vitest";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";
import { ownNamespace } from "./home-cluster.ts";

const everywhere = { TENON_NAMESPACE: "variable", POD_NAMESPACE: "pod" };

test.for([
  { choice: { tenonNamespace: "option" }, env: everywhere, expected: "option" },
  { choice: {}, env: everywhere, expected: "variable" },
  { choice: {}, env: { POD_NAMESPACE: "pod" }, expected: "pod" },
  { choice: {}, env: { TENON_NAMESPACE: "", POD_NAMESPACE: "" }, expected: "file" },
])("Tenon's own namespace is $expected with $choice and $env", ({ choice, env, expected }) => {
  expect(ownNamespace(choice, { tenonNamespace: "file" }, env)).toBe(expected);
});

test.for([
  ["run", "--namespace", "tenon"],
  ["doctor", "--rbac", "-n", "tenon"],
])("`tenon %s` is refused, and names the option for Tenon's own namespace", async (words) => {
  const shell = new FakeShell();
  expect(await runCommandLine(words, shell)).toBe(1);
  expect(shell.stderr.text).toContain("--tenon-namespace");
});
