import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeServer, type JsonObject, listenOn } from "#base";
import { parseYaml } from "#yaml";
import { jsonObject } from "../../kinds/index.ts";

/** A call as an apparatus sees it. */
export interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
}

export interface PreparedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How a test answers; undefined: never. */
type Answering = (call: RecordedCall) => PreparedAnswer | undefined | Promise<PreparedAnswer | undefined>;

/** For tests: an apparatus on loopback that writes down every call, and answers as the test says. */
interface RecordingApparatus extends AsyncDisposable {
  readonly origin: string;
  readonly calls: readonly RecordedCall[];
  /** For calls about a plug or socket of this name; others are answered with an empty object. */
  answer(name: string, answering: Answering): void;
  /** Those about a plug or socket of this name. */
  callsFor(name: string): readonly RecordedCall[];
}

export async function recordApparatus(): Promise<RecordingApparatus> {
  const calls: RecordedCall[] = [];
  const answers = new Map<string, Answering>();
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const parsed: unknown = text === "" ? {} : parseYaml(text);
    const call = { method, path, headers, body: jsonObject(Object(parsed)) };
    calls.push(call);
    const [, answering] = [...answers].find(([name]) => isAbout(call, name)) ?? [];
    const answer: PreparedAnswer | undefined = answering ? await answering(call) : {};
    if (answer) response.writeHead(answer.status ?? 200, { ...answer.headers }).end(answer.body ?? "{}");
  }

  const port = await listenOn(server, "127.0.0.1", 0);
  return {
    origin: `http://127.0.0.1:${port}`,
    calls,
    answer: (name, answering) => void answers.set(name, answering),
    callsFor: (name) => calls.filter((call) => isAbout(call, name)),
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

function isAbout({ body }: RecordedCall, name: string): boolean {
  return [body["plug"], body["socket"]].some((object) => nameOf(object) === name);
}

function nameOf(object: unknown): unknown {
  if (typeof object !== "object" || object === null || !("metadata" in object)) return undefined;
  const { metadata } = object;
  return typeof metadata === "object" && metadata !== null && "name" in metadata ? metadata.name : undefined;
}
