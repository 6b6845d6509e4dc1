import { createServer } from "node:http";
import { expect, test } from "vitest";
import { closeServer, listenOn, systemClock } from "#base";
import { resolveManifest } from "./manifests.ts";
import { openRegistries } from "./open-registries.ts";

test("a token server that asks to wait is asked again after that time, and not before", async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    requests.push(pathname);
    if (pathname === "/token" && requests.filter((path) => path === "/token").length === 1) {
      response.writeHead(429, { "retry-after": "7" }).end();
    } else if (pathname === "/token") {
      response.end(JSON.stringify({ token: "a-token" }));
    } else if (request.headers.authorization !== "Bearer a-token") {
      response.writeHead(401, { "www-authenticate": `Bearer realm="http://localhost:${port}/token"` }).end();
    } else {
      response.writeHead(404).end();
    }
  });
  const port = await listenOn(server, "127.0.0.1", 0);
  const waits: number[] = [];
  const clock = { ...systemClock, sleep: async (ms: number) => void waits.push(ms) };
  await using registries = openRegistries({ clock });
  const client = registries.client({ registry: `localhost:${port}`, repository: "acme/web" }, "pull");
  expect(await resolveManifest(client, "released", new AbortController().signal)).toBeUndefined();
  expect(waits).toEqual([7_000]);
  expect(requests.filter((path) => path === "/token")).toHaveLength(2);
  await closeServer(server);
});
