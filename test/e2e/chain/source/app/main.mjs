import { createServer } from "node:http";
import { greet } from "./greet.mjs";

createServer((request, response) => {
  const { searchParams } = new URL(request.url, "http://web");
  response.end(greet(searchParams.get("name") ?? "world"));
}).listen(8080);
process.on("SIGTERM", () => process.exit(0));
