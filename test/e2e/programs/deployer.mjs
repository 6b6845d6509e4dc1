// A program for steps of Tekton: deploys a Snapshot with the kubeconfig that the resource driver injected, and looks around.
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";

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

async function deploy({ name, containerImage }) {
  const labels = { app: name };
  const { status } = await call("POST", `/apis/apps/v1/namespaces/${namespace}/deployments`, {
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image: containerImage }] } },
    },
  });
  return status;
}

const deployed = [];
for (const component of JSON.parse(snapshot).components) deployed.push(await deploy(component));
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
const counts = { successes: deployed.length, failures: 0, warnings: 0 };
writeFileSync(
  `${results}/TEST_OUTPUT`,
  JSON.stringify({ result: "SUCCESS", timestamp: new Date().toISOString(), ...counts }),
);
