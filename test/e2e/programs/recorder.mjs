import { createServer } from "node:http";

// An apparatus that prints every call, and answers as its environment says.
const { CONFIG = "{}", FAILURES = "0", HELD = "", SILENT = "", EXIT = "" } = process.env;
if (EXIT !== "") process.exit(Number(EXIT));
let failures = Number(FAILURES);
const released = Promise.withResolvers();

const server = createServer(async (request, response) => {
  if (request.url === "/release") {
    released.resolve();
    response.end();
    return;
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { plug, socket, ...body } = text === "" ? {} : JSON.parse(text);
  const { url: path, method, headers } = request;
  const call = {
    method,
    path,
    id: headers["x-integration-id"],
    attempt: headers["x-integration-attempt"],
    token: headers["authorization"] ?? headers["x-integration-authorization"],
    plug: plug?.metadata.name,
    socket: socket?.metadata.name,
    body,
  };
  process.stdout.write(`${JSON.stringify(call)}\n`);
  const stage = path.split("/").at(-1);
  if (stage === SILENT) return;
  if (stage === HELD) await released.promise;
  const status = stage === "coupled" && failures-- > 0 ? 500 : 200;
  response.writeHead(status, { "content-type": "application/json" }).end(stage === "config" ? CONFIG : "{}");
});
server.listen(3000);
process.on("SIGTERM", () => process.exit(0));
