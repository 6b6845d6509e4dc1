import { createServer } from "node:http";

/** An apparatus that only notes when it was asked for what; `GET /seen` tells. It runs in a pod, alone. */
const seen: { path: string; at: number }[] = [];
const server = createServer((request, response) => {
  const { url: path = "/", method } = request;
  request.resume().once("end", () => {
    if (method === "POST") seen.push({ path, at: Date.now() });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(path === "/seen" ? seen : {}));
  });
});
server.listen(3000);
process.once("SIGTERM", () => process.exit());
