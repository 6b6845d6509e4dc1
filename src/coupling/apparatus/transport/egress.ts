import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { type Clock, InputError } from "#base";

/** What a URL that a tenant chose may reach. */
interface EgressRules {
  /** Hosts that every tenant may name: `keycloak.example.com`, `*.example.com`, `10.1.2.3`, each with or without `:port`. */
  readonly allow: readonly string[];
  readonly clusterDomain: string;
  /** The addresses of the API server. */
  readonly apiServer: readonly string[];
}

/** Never called, whatever is allowed: services at these addresses trust local callers. */
const forbidden = [
  { what: "a loopback address", ranges: ["127.0.0.0/8", "::1/128"] },
  { what: "a link-local address, where clouds serve credentials", ranges: ["169.254.0.0/16", "fe80::/10"] },
  {
    what: "the metadata address of a cloud, which serves credentials",
    ranges: ["100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", "fd00:ec2::254/128"],
  },
  { what: "not the address of a host", ranges: ["0.0.0.0/8", "::/128", "255.255.255.255/32"] },
  { what: "a multicast address", ranges: ["224.0.0.0/4", "ff00::/8"] },
  {
    what: "an IPv6 address that embeds an IPv4 address",
    ranges: ["::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32"],
  },
].map(({ what, ranges }) => ({ what, list: blockListOf(ranges) }));

/** An endpoint that is not called. */
export class EgressError extends InputError {}

/**
 * Refuses a URL that its owner may not name, and returns why it is accepted. The name is resolved when it is dialled: an allowed
 * name by DNS, and a Service of the own namespace by the API server.
 */
export function checkUrl(url: URL, namespace: string, rules: EgressRules, where: string): "allowed" | "own Service" {
  const host = hostOf(url);
  if (isIP(host) !== 0) checkAddress(host, rules.apiServer, where);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (rules.allow.some((pattern) => matches(pattern, host, port))) return "allowed";
  if (isOfNamespace(host, namespace, rules.clusterDomain)) return "own Service";
  throw new EgressError(`${host} is not a Service in namespace ${namespace}, and is not on the allow list`, {
    where,
    next: `use a host that ends with .${namespace}.svc, or ask the administrator of Tenon for --apparatus-endpoint-allow ${host}`,
  });
}

/** Refuses a forbidden address before it is dialled. */
export function checkAddress(address: string, apiServer: readonly string[], where: string): void {
  const plain = unmapped(address);
  const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
  const found = forbidden.find(({ list }) => list.check(plain, family));
  const what = found?.what ?? (apiServer.map(unmapped).includes(plain) ? "the API server" : undefined);
  if (what === undefined) return;
  throw new EgressError(`${address} is ${what}, and is never called`, { where, next: "name another endpoint" });
}

/** As the rules see it: in lower case, without brackets and without the dot of the root. */
function hostOf({ hostname }: URL): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/(?<!\.)\.+$/, "");
}

function isOfNamespace(host: string, namespace: string, clusterDomain: string): boolean {
  return [`.${namespace}.svc`, `.${namespace}.svc.${clusterDomain}`].some(
    (suffix) => host.length > suffix.length && host.endsWith(suffix),
  );
}

function matches(pattern: string, host: string, port: string): boolean {
  const { name = "", only } =
    // oxlint-disable-next-line tenon/linear-patterns -- the administrator writes it on the command line
    /^(?<name>\[.*\]|[^:]*|.*:.*:.*?)(?::(?<only>\d+))?$/.exec(pattern.toLowerCase())?.groups ?? {};
  if (only !== undefined && only !== port) return false;
  const plain = name.replace(/^\[(.*)\]$/, "$1");
  return plain.startsWith("*.") ? host.length > plain.length - 1 && host.endsWith(plain.slice(1)) : host === plain;
}

/** `::ffff:127.0.0.1` is 127.0.0.1, in whichever way it is written. */
function unmapped(address: string): string {
  const plain = address.replace(/%.*$/, "");
  if (isIP(plain) !== 6) return plain;
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const [one, other] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [one >> 8, one & 255, other >> 8, other & 255].join(".");
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", bits = ""] = range.split("/");
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true, verbatim: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });

/**
 * A lookup for connections: it resolves a name once, checks all its addresses, and returns only checked ones. DNS rebinding
 * therefore has no effect.
 */
export function guardedLookup(apiServer: () => Promise<readonly string[]>, resolve: Resolve): LookupFunction {
  async function find(host: string, family: unknown): Promise<LookupAddress[]> {
    const [found, refused] = await Promise.all([resolve(host), apiServer()]);
    for (const { address } of found) checkAddress(address, refused, host);
    const fitting = found.filter((each) => !family || family === each.family || family === `IPv${each.family}`);
    if (fitting.length === 0) throw Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" });
    return fitting;
  }
  const answer = callbackify(find);
  return (host, { all, family }, done) => {
    answer(host, family, (error, found) => {
      if (error) done(error, "");
      else if (all) done(null, found);
      else done(null, found[0]?.address ?? "", found[0]?.family);
    });
  };
}

const memoryMs = 5 * 60_000;

/** The current addresses of the API server's hosts. A name that cannot be resolved cannot be called either. */
export function apiServerAddresses(
  hosts: readonly string[],
  resolve: Resolve,
  clock: Pick<Clock, "monotonic">,
): () => Promise<readonly string[]> {
  const names = hosts.map((host) => host.replace(/^\[(.*)\]$/, "$1")).filter((host) => host !== "");
  let known: { readonly addresses: Promise<readonly string[]>; readonly until: number } | undefined;

  async function resolveAll(): Promise<readonly string[]> {
    const found = await Promise.all(
      names.map(async (name) => {
        if (isIP(name) !== 0) return [name];
        return await resolve(name).then(
          (addresses) => addresses.map(({ address }) => address),
          () => [],
        );
      }),
    );
    return found.flat();
  }

  return () => {
    if (!known || clock.monotonic() > known.until) {
      known = { addresses: resolveAll(), until: clock.monotonic() + memoryMs };
    }
    return known.addresses;
  };
}
