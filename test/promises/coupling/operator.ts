import { writeSync } from "node:fs";
import { silentLogger as log, systemClock as clock } from "#base";
import { createCoupling, type StageCall } from "#coupling";
import { connect, createClient, loadAccess } from "#kube";
import { runControllers } from "#runtime";

/** An operator in a process of its own, to be killed. Writes each stage that it runs to its output before it runs it. */
const [kubeconfig = "", key = ""] = process.argv.slice(2);
await using transport = connect(await loadAccess({ kubeconfig }));
using coupling = createCoupling({
  client: createClient(transport),
  clock,
  random: Math.random,
  log,
  fingerprintKey: Buffer.from(key),
  instance: "killed",
  apparatus: {
    config: async () => undefined,
    forget: () => {},
    call: async ({ stage, side, body }: StageCall) => {
      writeSync(1, `${JSON.stringify({ stage, side, body })}\n`);
    },
  },
});
await runControllers({ controllers: coupling.controllers, clock, log, graceMs: 0 }, new AbortController().signal);
