import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import { z } from "zod";

const Kubeconfig = z.object({
  clusters: z.tuple([
    z.object({ cluster: z.object({ server: z.string(), "certificate-authority-data": z.string() }) }),
  ]),
  users: z.tuple([
    z.object({ user: z.object({ "client-certificate-data": z.string(), "client-key-data": z.string() }) }),
  ]),
});

const decode = (text: string) => Buffer.from(text, "base64");

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The API server as the administrator of an embedded cluster sees it: one call, nothing retried, nothing hidden. */
export interface TestApi extends AsyncDisposable {
  call(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<ApiAnswer>;
}

/** Connects with a kubeconfig that our cluster wrote; tests of Tenon's own client do not use this. */
export function connectTestApi(kubeconfig: string): TestApi {
  const { clusters, users } = Kubeconfig.parse(JSON.parse(readFileSync(kubeconfig, "utf8")));
  const { server, "certificate-authority-data": ca } = clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = users[0].user;
  const dispatcher = new Agent({ connect: { ca: decode(ca), cert: decode(cert), key: decode(key) } });
  return {
    async call(method, path, body) {
      const answer = await request(`${server}${path}`, {
        dispatcher,
        method,
        headers: { "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.body.text();
      const isJson = String(answer.headers["content-type"]).startsWith("application/json");
      return { status: answer.statusCode, body: isJson ? JSON.parse(text) : text };
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
    },
  };
}
