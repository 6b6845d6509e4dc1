import { get } from "node:http";
import { text } from "node:stream/consumers";
import { inject } from "vitest";

/** Asks the run for the control plane of this worker, which starts with the first file that asks. */
function askForCluster(socketPath: string, worker: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ socketPath, path: `/${worker}` }, async (answer) => {
      const body = await text(answer);
      if (answer.statusCode === 200) resolve(body);
      else reject(new Error(`no control plane for worker ${worker}: ${body}`));
    });
    request.on("error", reject);
  });
}

process.env["TENON_TEST_KUBECONFIG"] ??= await askForCluster(
  inject("clusterSocket"),
  process.env["VITEST_POOL_ID"] ?? "1",
);
