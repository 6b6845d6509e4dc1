#!/usr/local/bin/node
// Deploys the image of the Snapshot into the environment whose kubeconfig is mounted, and asks it. Runs in a step of Tekton.
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { setTimeout } from "node:timers/promises";

const { SNAPSHOT, RESULT } = process.env;
const kubeconfig = readFileSync("/environment/kubeconfig", "utf8");
const valueOf = (key) => new RegExp(`${key}: "?([^"\\s]+)`).exec(kubeconfig)[1];
const namespace = valueOf("namespace");
const pods = `/api/v1/namespaces/${namespace}/pods`;

function call(method, path, body) {
  const headers = { authorization: `Bearer ${valueOf("token")}`, "content-type": "application/json" };
  const ca = Buffer.from(valueOf("certificate-authority-data"), "base64");
  return new Promise((resolve, reject) => {
    request(`${valueOf("server")}${path}`, { method, headers, ca }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString();
      if (answer.statusCode < 300) resolve(JSON.parse(text));
      else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
    })
      .on("error", reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const [{ containerImage: image }] = JSON.parse(SNAPSHOT).components;
const readinessProbe = { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 };
const resources = { requests: { cpu: "10m", memory: "32Mi" }, limits: { memory: "256Mi" } };
await call("POST", pods, {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web" },
  spec: { containers: [{ name: "web", image, readinessProbe, resources }] },
});
let status = {};
while (status.containerStatuses?.[0]?.ready !== true) {
  await setTimeout(250);
  ({ status } = await call("GET", `${pods}/web`));
}

const answer = await (await fetch(`http://${status.podIP}:8080/?name=parcel`)).text();
process.stdout.write(`${image} in ${namespace} answers: ${answer}\n`);
const isRight = answer === "hello parcel";
writeFileSync(
  RESULT,
  JSON.stringify({
    result: isRight ? "SUCCESS" : "FAILURE",
    timestamp: String(Math.floor(Date.now() / 1000)),
    successes: isRight ? 1 : 0,
    failures: isRight ? 0 : 1,
    warnings: 0,
    note: `it answers ${answer}`,
  }),
);
