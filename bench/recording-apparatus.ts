import { createServer } from "node:http";

/** An apparatus that only records its calls with their times, which `GET /seen` returns. It runs in a pod. */
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
