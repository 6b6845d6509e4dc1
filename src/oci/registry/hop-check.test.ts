import { expect, test } from "vitest";
import { hopProblem, isLoopback } from "./hop-check.ts";

const rules = { isPlainAllowed: (host: string): boolean => host === "plain.local" || host.startsWith("127.0.0.1") };

test.for([
  { from: "https://quay.io", to: "https://cdn.quay.io/x", problem: undefined, reason: "another public host" },
  { from: "https://quay.io", to: "http://cdn.quay.io/x", problem: /not encrypted/, reason: "TLS must not be dropped" },
  { from: "https://quay.io", to: "https://10.0.0.1/x", problem: /private/, reason: "into the network" },
  { from: "https://quay.io", to: "https://169.254.169.254/x", problem: /private/, reason: "the cloud's metadata" },
  { from: "https://quay.io", to: "https://[fd00::1]/x", problem: /private/, reason: "IPv6 too" },
  { from: "https://quay.io", to: "https://[::ffff:10.0.0.1]/x", problem: /private/, reason: "IPv4 inside IPv6" },
  { from: "https://quay.io", to: "https://localhost/x", problem: /loopback/, reason: "this machine" },
  { from: "https://quay.io", to: "http://127.0.0.1:80/x", problem: /loopback/, reason: "plain http there is allowed" },
  { from: "https://10.0.0.1", to: "https://10.0.0.2/x", problem: undefined, reason: "within the network" },
  { from: "https://10.0.0.1", to: "https://127.0.0.1/x", problem: /loopback/, reason: "from the network to here" },
  { from: "http://127.0.0.1:5000", to: "https://10.0.0.2/x", problem: undefined, reason: "a local registry is ours" },
  { from: "http://plain.local", to: "http://plain.local/x", problem: undefined, reason: "allowed by setting" },
  { from: "https://quay.io", to: "https://user:pass@cdn.quay.io/x", problem: /credentials/, reason: "a password" },
  { from: "https://quay.io", to: "file:///etc/passwd", problem: /scheme file:/, reason: "not HTTP" },
])("from $from to $to: $reason", ({ from, to, problem }) => {
  const found = hopProblem(new URL(from), new URL(to), rules);
  expect(found ?? "none").toMatch(problem ?? /^none$/);
});

test("loopback is known by name and address", () => {
  expect(["localhost", "a.localhost", "127.0.0.1", "127.1.2.3", "[::1]"].every(isLoopback)).toBe(true);
  expect(["localhost.example.com", "10.0.0.1", "quay.io", "128.0.0.1"].some(isLoopback)).toBe(false);
});
