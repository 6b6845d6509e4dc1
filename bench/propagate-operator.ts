import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, systemClock as clock } from "#base";
import { connect, createClient, loadAccess } from "#kube";
import { createPropagation } from "#promotion";
import { runControllers } from "#runtime";
import { CountedOperator } from "./counted-operator.ts";

/** The part `propagation` of promote in a process of its own, which says over IPC what it and its git have cost so far. */
const [kubeconfig = ""] = process.argv.slice(2);
const log = createLogger({ level: "error" });
const transport = connect(await loadAccess({ kubeconfig }));
const operator = new CountedOperator();
await using cache = await mkdtempDisposable(join(tmpdir(), "tenon-bench-propagate-"));
const client = createClient(operator.count(transport));
const propagation = createPropagation({ client, clock, random: Math.random, log, cache: cache.path });
const { controllers } = propagation;
await runControllers({ controllers, clock, log, graceMs: 0 }, operator.stopping).catch(() => {});
await propagation[Symbol.asyncDispose]();
await transport[Symbol.asyncDispose]();
