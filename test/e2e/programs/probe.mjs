// A program for pods that does what the request says, so that a test can look from inside.
import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { request } from "node:https";
import { hostname } from "node:os";

const account = "/var/run/secrets/kubernetes.io/serviceaccount";
const file = "/data/lines";

const answers = {
  "/": () => hostname(),
  "/healthz": () => "ok",
  "/fetch": async (query) => {
    const response = await fetch(query.get("url"), {
      // A Service chooses a pod a connection.
      headers: { connection: "close" },
      signal: AbortSignal.timeout(5_000),
    });
    return `${response.status} ${await response.text()}`;
  },
  "/api": (query) => callApi(query.get("path")),
  "/write": (query) => appendFileSync(file, `${query.get("line")}\n`) ?? "written",
  "/read": () => readFileSync(file, "utf8"),
};

function callApi(path) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${readFileSync(`${account}/token`, "utf8")}` };
    const ca = readFileSync(`${account}/ca.crt`);
    request(`https://kubernetes.default.svc${path}`, { ca, headers }, async (response) => {
      resolve(`${response.statusCode} ${Buffer.concat(await response.toArray())}`);
    })
      .on("error", reject)
      .end();
  });
}

const [word] = process.argv.slice(2);
if (word !== undefined) {
  process.stdout.write(`${word} from ${hostname()}\n`);
} else {
  createServer(async (incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url, "http://here");
    try {
      outgoing.end(await answers[pathname](searchParams));
    } catch (error) {
      outgoing.writeHead(500).end(String(error.cause ?? error));
    }
  }).listen(8080, () => process.stdout.write("probe listens\n"));
  process.on("SIGTERM", () => process.exit(0));
}
