import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTcpProxy } from "#faults";
import { testKubeconfig } from "#harness";
import { loadAccess } from "#kube";

const checkout = join(import.meta.dirname, "..", "..", "..");
const tenon = join(checkout, "bin", "tenon");

test("`tenon plan` on a terminal says what it does before a cluster has answered anything, and takes that back", async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-terminal-"));
  const given = testKubeconfig();
  const { context, server } = await loadAccess({ kubeconfig: given });
  await using proxy = await startTcpProxy({ target: { host: server.hostname, port: Number(server.port) } });
  const kubeconfig = join(directory.path, "kubeconfig");
  const text = await readFile(given, "utf8");
  await writeFile(kubeconfig, text.replaceAll(server.host, `${server.hostname}:${proxy.port}`), { mode: 0o600 });
  proxy.silence();

  const words = ["plan", "--data", join(checkout, "examples", "data"), "--environment", "stage", "--create-namespaces"];
  const line = [tenon, ...words, "--kubeconfig", kubeconfig, "--context", context].join(" ");
  const env = { PATH: process.env["PATH"], HOME: directory.path, TERM: "xterm" };
  // `script` of util-linux gives the command a pseudo-terminal.
  const child = spawn("script", ["--quiet", "--flush", "--return", "--command", line, "/dev/null"], { env });
  let seen = "";
  const ended = once(child, "close");
  const isShown = new Promise<void>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      seen += part;
      if (seen.includes("reading cluster stage-1")) resolve();
    });
  });
  await Promise.race([isShown, ended]);
  expect(seen).toMatch(/reading the data[^]*reading cluster stage-1/);
  expect(seen).not.toContain("to create");

  await proxy.restore();
  await ended;
  expect(seen).toContain("to create");
  // The line of progress is cleared before the plan begins.
  expect(seen).toContain("\r\u001B[Kstage-1/");
});
