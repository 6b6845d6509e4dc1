import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultApparatusSettings } from "#coupling";
import { useCoupling } from "#harness";
import { useTenant } from "./hostile/use-tenant.ts";

/** Whatever connects has been let through; what it says does not matter. */
const connections: string[] = [];
const servers: Server[] = [];
let port = 0;

async function listen(host: string, at: number): Promise<number> {
  const server = createServer((socket) => {
    connections.push(`${host} from ${socket.remoteAddress}`);
    socket.destroy();
  });
  server.listen(at, host);
  await once(server, "listening");
  servers.push(server);
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

/** On the same port of both families, if the machine has both. */
async function listenOnLoopback(): Promise<number> {
  for (;;) {
    const at = await listen("127.0.0.1", 0);
    const problem = await listen("::1", at).then(() => undefined, codeOf);
    if (problem !== "EADDRINUSE") return at;
  }
}

function codeOf(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE" || code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return code;
  throw error;
}

/** What names stand for, one answer after the other; the last one stays. */
const answers = new Map<string, string[]>();
const asked: string[] = [];
async function resolve(host: string) {
  const name = host.split(".")[0] ?? "";
  asked.push(name);
  const left = answers.get(name) ?? [];
  const found = (left.length > 1 ? left.shift() : left[0]) ?? "192.0.2.1";
  return found.split(" ").map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
}

const allow = ["localhost", "*.example.com", "*.nip.io", "127.0.0.1", "169.254.169.254"];
const world = useCoupling({
  apparatusSettings: { ...defaultApparatusSettings, allow, apiServer: ["203.0.113.9"], resolve },
});
const tenant = useTenant(world, "caller");

beforeAll(async () => {
  port = await listenOnLoopback();
});
afterAll(() => {
  for (const server of servers) server.close();
});

async function refusalOf(name: string, endpoint: string): Promise<string> {
  await tenant.create(tenant.plug(name, { apparatus: { endpoint, containers: [] } }));
  return await tenant.refusal(name);
}

describe("an address", () => {
  test.each([
    { reason: "loopback", host: "127.0.0.1" },
    { reason: "another loopback", host: "127.8.9.10" },
    { reason: "IPv6 loopback", host: "[::1]" },
    { reason: "IPv4 in IPv6", host: "[::ffff:127.0.0.1]" },
    { reason: "IPv4 in IPv6, in hexadecimal", host: "[::ffff:7f00:1]" },
    { reason: "one number", host: "2130706433" },
    { reason: "octal", host: "0177.0.0.1" },
    { reason: "hexadecimal and short", host: "0x7f.1" },
    { reason: "full-width digits", host: "１２７.0.0.1" },
    { reason: "with the dot of the root", host: "127.0.0.1." },
    { reason: "this host", host: "0.0.0.0" },
    { reason: "link-local", host: "169.254.169.254" },
    { reason: "link-local IPv6", host: "[fe80::1]" },
    { reason: "the API server", host: "203.0.113.9" },
    { reason: "the API server in IPv6", host: "[::ffff:203.0.113.9]" },
  ])("H88: a forbidden address is never called, whatever the allow list says: $reason", async ({ reason, host }) => {
    const name = reason.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
    const message = await refusalOf(name, `http://${host}:${port}/socket`);
    expect(message).toMatch(/spec\.apparatus\.endpoint.*is never called; name another endpoint/);
  });
});

describe("a name", () => {
  test.each([
    { reason: "loopback", answer: ["127.0.0.1"] },
    { reason: "ipv6 loopback", answer: ["::1"] },
    { reason: "mapped", answer: ["::ffff:127.0.0.1"] },
    { reason: "credentials of a cloud", answer: ["169.254.169.254"] },
    { reason: "the api server", answer: ["203.0.113.9"] },
    { reason: "one good address and one bad", answer: ["192.0.2.1 127.0.0.1"] },
  ])(
    "F-10: an allowed name that resolves to a forbidden address is not called: $reason",
    async ({ reason, answer }) => {
      const name = `allowed-${reason.replaceAll(" ", "-")}`;
      answers.set(name, [...answer]);
      const message = await refusalOf(name, `http://${name}.example.com:${port}`);
      expect(message).toMatch(/is never called; name another endpoint/);
    },
  );

  test("F-10: a name that resolves differently after the check is judged by the address that is dialled", async () => {
    answers.set("rebinds", ["192.0.2.1", "127.0.0.1"]);
    const name = "rebinds";
    await tenant.create(
      tenant.plug(name, { apparatus: { endpoint: `http://rebinds.example.com:${port}`, containers: [] } }),
    );
    await expect.poll(() => tenant.refusal(name)).toMatch(/127\.0\.0\.1 is a loopback address.* never called/);
    expect(asked.filter((each) => each === name).length).toBeGreaterThan(1);
  });
});

test.each([
  { reason: "another namespace's service", endpoint: () => `http://db.${world.prov}.svc` },
  { reason: "a host that is not allowed", endpoint: () => "https://collector.example.org/socket" },
  { reason: "a suffix that only looks like the own", endpoint: () => `http://evil${tenant.namespace}.svc.example.net` },
  { reason: "a user in the url", endpoint: () => "http://db.svc@127.0.0.1" },
  { reason: "another scheme", endpoint: () => "file:///etc/passwd" },
  { reason: "a socket of the system", endpoint: () => "unix:///var/run/docker.sock" },
])(
  "F-10: an endpoint that is neither a Service of the own namespace nor allowed is refused: $reason",
  async ({ reason, endpoint }) => {
    const name = `refused-${reason.replaceAll(/[^a-z]+/g, "-")}`;
    const message = await refusalOf(name, endpoint());
    expect(message).toContain(`Plug ${tenant.namespace}/${name} spec.apparatus.endpoint`);
    expect(message).toMatch(/; (use a host that ends with|write it like|remove it)/);
  },
);

test("no forbidden address was called, and a plug without an apparatus couples", async () => {
  await world.apply(world.socket("s", {}), world.plug("neighbour", { socket: { name: "s", namespace: world.prov } }));
  await world.waitUntilCoupled("neighbour");
  expect(connections).toEqual([]);
});
