import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import { z } from "zod";

const Kubeconfig = z.object({
  clusters: z.tuple([
    z.object({ cluster: z.object({ server: z.string(), "certificate-authority-data": z.base64() }) }),
  ]),
  users: z.tuple([
    z.object({ user: z.object({ "client-certificate-data": z.base64(), "client-key-data": z.base64() }) }),
  ]),
});

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Of a refusal. */
  readonly message: string;
  readonly warnings: string;
}

/** For the tests of this room, which is below the one with Tenon's client. */
export interface LiveApi extends AsyncDisposable {
  call(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    accept?: string,
  ): Promise<Answer>;
}

const decode = (text: string) => Buffer.from(text, "base64");
const Body = z.record(z.string(), z.unknown());

export function connectLive(kubeconfig: string): LiveApi {
  const { clusters, users } = Kubeconfig.parse(JSON.parse(readFileSync(kubeconfig, "utf8")));
  const { server, "certificate-authority-data": ca } = clusters[0].cluster;
  const { "client-certificate-data": cert, "client-key-data": key } = users[0].user;
  const dispatcher = new Agent({ connect: { ca: decode(ca), cert: decode(cert), key: decode(key) } });
  return {
    async call(method, path, body, accept = "application/json") {
      const answer = await request(`${server}${path}`, {
        dispatcher,
        method,
        headers: { accept, "content-type": method === "PATCH" ? "application/apply-patch+yaml" : "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.body.text();
      const isJson = String(answer.headers["content-type"]).startsWith("application/json");
      const parsed = Body.parse(isJson ? JSON.parse(text) : { message: text });
      const message = typeof parsed["message"] === "string" ? parsed["message"] : "";
      return { status: answer.statusCode, body: parsed, message, warnings: String(answer.headers["warning"] ?? "") };
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
    },
  };
}
