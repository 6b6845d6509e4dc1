#!/usr/local/bin/node
// Claims an ephemeral environment for this run, and waits until it can be used. Runs in a step of Tekton, as its account.
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { setTimeout } from "node:timers/promises";

const { NAMESPACE, RUN, RESULT_SECRET } = process.env;
const account = "/var/run/secrets/kubernetes.io/serviceaccount";
const claims = `/apis/tenon.dev/v1alpha1/namespaces/${NAMESPACE}/ephemeralclaims`;

function call(method, path, body) {
  const headers = {
    authorization: `Bearer ${readFileSync(`${account}/token`, "utf8")}`,
    "content-type": "application/json",
  };
  const options = { method, headers, ca: readFileSync(`${account}/ca.crt`) };
  return new Promise((resolve, reject) => {
    request(`https://kubernetes.default.svc${path}`, options, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString();
      if (answer.statusCode < 300) resolve(JSON.parse(text));
      else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
    })
      .on("error", reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}

await call("POST", claims, {
  apiVersion: "tenon.dev/v1alpha1",
  kind: "EphemeralClaim",
  metadata: { name: RUN },
  spec: { className: "chain", ownerRef: { kind: "PipelineRun", name: RUN } },
});
for (;;) {
  const { status = {} } = await call("GET", `${claims}/${RUN}`);
  if (status.phase === "Ready") {
    process.stdout.write(`environment ${status.namespace} is ready\n`);
    writeFileSync(RESULT_SECRET, status.secretRef.name);
    break;
  }
  if (status.phase === "Failed") throw new Error(JSON.stringify(status.conditions));
  await setTimeout(250);
}
