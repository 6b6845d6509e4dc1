import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { onTestFinished } from "vitest";

export interface HeardRequest {
  readonly method: string | undefined;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real server on loopback until the test ends; `answer` gives the status for each request. */
export async function hearRequests(
  answer: (request: HeardRequest) => number,
): Promise<{ readonly origin: string; readonly heard: readonly HeardRequest[] }> {
  const heard: HeardRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const { method, url: path = "", headers } = request;
      const one = { method, path, headers, body: Buffer.concat(chunks).toString() };
      heard.push(one);
      const status = answer(one);
      response.writeHead(status, { location: "/elsewhere" }).end(status < 300 ? "" : "it says why");
    });
  });
  return { origin: await listenOnLoopback(server), heard };
}

/** Starts a server until the test ends; its address. */
export async function listenOnLoopback(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}
