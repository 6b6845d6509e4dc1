import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { closeServer, isJsonObject, listenOn, type JsonObject, type JsonValue } from "#base";

export interface PlainRequest {
  /** `POST /coupled`. */
  readonly call: string;
  readonly text: string;
  /** Undefined if it is not a JSON object. */
  readonly body: JsonObject | undefined;
  readonly id: string;
}

export interface PlainAnswer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A fault may answer in place of the server; `"hang"` never answers, `"break"` ends the connection. */
export type Fault = (request: PlainRequest) => PlainAnswer | "hang" | "break" | undefined;

const stages = new Set(["created", "coupled", "updated", "decoupled", "deleted"].map((stage) => `POST /${stage}`));

/** An apparatus written without the SDK, which behaves well except for its fault. */
export async function servePlainApparatus(fault: Fault = () => undefined): Promise<AsyncDisposable & { url: string }> {
  async function answer(request: IncomingMessage): Promise<PlainAnswer | "hang" | "break"> {
    const call = `${request.method} ${request.url}`;
    const content = await text(request);
    const body = parse(content);
    const id = String(request.headers["x-integration-id"]);
    const faulty = fault({ call, text: content, body, id });
    if (faulty) return faulty;
    if (call === "GET /ping") return { status: 200 };
    if (call === "POST /config") return { status: 200, body: '{"port":5432,"nothing":null,"list":["a"]}' };
    if (!stages.has(call)) return { status: 404 };
    return { status: body ? 200 : 400 };
  }
  const server = createServer((request, response) => {
    void answer(request).then((answered) => {
      if (answered === "hang") return undefined;
      if (answered === "break") return request.socket.destroy();
      return response.writeHead(answered.status, { ...answered.headers }).end(answered.body);
    });
  });
  const port = await listenOn(server, "127.0.0.1", 0);
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => closeServer(server) };
}

function parse(content: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(content);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
