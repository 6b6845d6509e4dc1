import { expect, test } from "vitest";
import { createLogger, Secret } from "#base";
import { FakeShell } from "../fake-shell.fixture.ts";
import { readableLog } from "./readable-log.ts";

const clock = { now: () => Date.parse("2026-01-02T03:04:05Z") };
const time = new Date(clock.now()).toTimeString().slice(0, 8);

function logTo(shell: FakeShell) {
  return createLogger({ destination: readableLog(shell), clock }).child({ job: "manage" });
}

test("a log for people has the time, the job, what happened, and its details", () => {
  const shell = new FakeShell();
  logTo(shell).info("integration suspended", { integration: "a", reason: "frozen", count: 2 });
  expect(shell.stderr.text).toBe(`${time}  manage  integration suspended, integration a, reason frozen, count 2\n`);
});

test("a plan in a log for people is printed as a plan", () => {
  const shell = new FakeShell();
  const text = "c1/n1\n  ~ Deployment a: changed\n      ~ spec.replicas: 1 -> 2\n\n1 to update\n";
  logTo(shell).info("plan", { plan: "1234", dryRun: false, changes: 1, text });
  expect(shell.stderr.text).toBe(
    `${time}  manage  plan\n    c1/n1\n      ~ Deployment a: changed\n          ~ spec.replicas: 1 -> 2\n\n    1 to update\n`,
  );
});

test.for([
  {
    line: ["apply", "privileged=False", "c1", "n1", "Deployment", "a"],
    dryRun: false,
    said: "apply c1/n1 Deployment a",
  },
  {
    line: ["delete", "privileged=True", "c1", "n1", "Job", "a"],
    dryRun: true,
    said: "delete c1/n1 Job a, nothing is changed: dry run",
  },
  {
    line: ["create_namespace", "c1", "n1", "Namespace", "n1"],
    dryRun: false,
    said: "create_namespace c1/n1 Namespace n1",
  },
])("a write to a cluster is printed as $said in a log for people", ({ line, dryRun, said }) => {
  const shell = new FakeShell();
  logTo(shell).info(line[0] ?? "", { cluster: "c1", line, plan: "1234", dryRun });
  expect(shell.stderr.text).toBe(`${time}  manage  ${said}\n`);
});

test("a log for people names warnings and errors, has messages without stacks, and says what to do", () => {
  const shell = new FakeShell();
  logTo(shell).warn("cannot renew the lease", { error: new Error("timed out") });
  logTo(shell).error("run failed", { next: "see above" });
  expect(shell.stderr.text).toBe(
    `${time}  manage  warning: cannot renew the lease, error timed out\n${time}  manage  error: run failed\n    next: see above\n`,
  );
});

test("a log for people masks secrets, and shows escapes as text", () => {
  const shell = new FakeShell();
  const secret = new Secret("very-secret-value");
  logTo(shell).info("got", { value: secret.reveal(), name: "a\u001B[2Jb" });
  expect(shell.stderr.text).not.toContain("very-secret-value");
  expect(shell.stderr.text).toContain("name a\\u001b[2Jb");
});
