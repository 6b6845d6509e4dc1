// A program for steps of Tekton: deploys a Snapshot with the kubeconfig that the resource driver injected, tests it there, and
// looks around.
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { setTimeout } from "node:timers/promises";

const [snapshot, tenant, results] = process.argv.slice(2);
const kubeconfig = readFileSync(process.env.KUBECONFIG, "utf8");
const valueOf = (key) => new RegExp(`^\\s*${key}: (.*)$`, "m").exec(kubeconfig)[1].replaceAll('"', "");
const namespace = valueOf("namespace");

function call(method, path, body) {
  const headers = { authorization: `Bearer ${valueOf("token")}`, "content-type": "application/json" };
  const ca = Buffer.from(valueOf("certificate-authority-data"), "base64");
  return new Promise((resolve, reject) => {
    request(`${valueOf("server")}${path}`, { method, ca, headers }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode, body: JSON.parse(text) });
    })
      .on("error", reject)
      .end(body && JSON.stringify(body));
  });
}

const readinessProbe = { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 1 };

async function deploy({ name, containerImage }) {
  const labels = { app: name };
  const { status } = await call("POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, {
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image: containerImage, readinessProbe }] } },
    },
  });
  return status;
}

/** Whether the component answers with the name of its pod, once it is ready. */
async function test({ name }) {
  for (;;) {
    const { body } = await call("GET", `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${name}`);
    const pod = body.items.find(({ status }) => status.containerStatuses?.[0]?.ready);
    if (pod) return (await (await fetch(`http://${pod.status.podIP}:8080/`)).text()) === pod.metadata.name;
    await setTimeout(250);
  }
}

const [deployed, passed] = [[], []];
for (const component of JSON.parse(snapshot).components) {
  deployed.push(await deploy(component));
  passed.push(await test(component));
}
const { body } = await call("GET", `/apis/apps/v1/namespaces/${namespace}/deployments`);
const secrets = await call("GET", `/api/v1/namespaces/${tenant}/secrets`);
const pods = await call("GET", `/api/v1/namespaces/${tenant}/pods`);
const seen = {
  environment: process.env.TENON_ENVIRONMENT,
  namespace,
  deployed,
  images: body.items.map((item) => item.spec.template.spec.containers[0].image),
  ofTenant: [secrets.status, pods.status],
};
writeFileSync(`${results}/SEEN`, JSON.stringify(seen));
const successes = passed.filter(Boolean).length;
const counts = { successes, failures: passed.length - successes, warnings: 0 };
const result = counts.failures > 0 ? "FAILURE" : "SUCCESS";
writeFileSync(`${results}/TEST_OUTPUT`, JSON.stringify({ result, timestamp: new Date().toISOString(), ...counts }));
