import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { inject } from "vitest";

/** Asks the run for the control plane of this worker, which starts with the first file that asks. */
async function askForCluster(socketPath: string, worker: string): Promise<string> {
  const [answer]: IncomingMessage[] = await once(get({ socketPath, path: `/${worker}` }), "response");
  const body = answer ? await text(answer) : "";
  if (answer?.statusCode !== 200) throw new Error(`no control plane for worker ${worker}: ${body}`);
  return body;
}

process.env["TENON_TEST_KUBECONFIG"] ??= await askForCluster(
  inject("clusterSocket"),
  process.env["VITEST_POOL_ID"] ?? "1",
);
