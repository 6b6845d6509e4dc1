import { writeSync } from "node:fs";
import { silentLogger as log, systemClock as clock } from "#base";
import { createCoupling } from "#coupling";
import { connect, createClient, loadAccess } from "#kube";
import { runControllers } from "#runtime";
import { loggingApparatus } from "./stage-log.ts";

/** An operator in a process of its own, to be killed. Writes to its output which halves of stages it runs. */
const [kubeconfig = "", key = ""] = process.argv.slice(2);
await using transport = connect(await loadAccess({ kubeconfig }));
using coupling = createCoupling({
  client: createClient(transport),
  clock,
  random: Math.random,
  log,
  fingerprintKey: Buffer.from(key),
  instance: "killed",
  apparatus: loggingApparatus((mark) => writeSync(1, `${JSON.stringify(mark)}\n`)),
});
await runControllers({ controllers: coupling.controllers, clock, log, graceMs: 0 }, new AbortController().signal);
