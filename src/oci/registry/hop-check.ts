import { isIPv4 } from "node:net";

/** Which hosts Tenon may talk to without TLS, beside those of this machine. */
export interface HopRules {
  /** Whether plain http is allowed to this host. */
  readonly isPlainAllowed: (host: string) => boolean;
}

type HostClass = "loopback" | "private" | "public";

/**
 * Why a registry may not send Tenon from one address to another (a redirect, an upload or a token server); undefined if it
 * may. A registry on the internet must not make Tenon call services of its own network, and TLS must not be dropped.
 */
export function hopProblem(from: URL, to: URL, { isPlainAllowed }: HopRules): string | undefined {
  if (to.protocol !== "https:" && to.protocol !== "http:") return `the scheme ${to.protocol} is not supported`;
  if (to.protocol === "http:" && !isPlainAllowed(to.host)) return "it is not encrypted (http)";
  if (to.username !== "" || to.password !== "") return "it contains credentials";
  if (to.host === from.host) return undefined;
  const [source, target] = [classOf(from.hostname), classOf(to.hostname)];
  const isInward = target !== "public" && target !== source && source !== "loopback";
  return isInward ? `it is a ${target} address` : undefined;
}

/** A host of this machine, by its name or address. */
export function isLoopback(hostname: string): boolean {
  return classOf(hostname) === "loopback";
}

/** By the text alone: names are not resolved. */
function classOf(hostname: string): HostClass {
  const name = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  if (name === "localhost" || name.endsWith(".localhost") || name === "::1") return "loopback";
  if (isIPv4(name)) return classOfAddress(name.split(".").map(Number));
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(name) ?? [];
  if (mapped !== undefined) return classOf(mapped);
  return /^(?:f[cd]|fe[89ab]|::)/.test(name) && name.includes(":") ? "private" : "public";
}

function classOfAddress([first = 0, second = 0]: readonly number[]): HostClass {
  if (first === 127) return "loopback";
  const isPrivate =
    first === 0 ||
    first === 10 ||
    (first === 172 && second >= 16 && second <= 31) ||
    (first === 192 && second === 168) ||
    (first === 169 && second === 254) ||
    (first === 100 && second >= 64 && second <= 127);
  return isPrivate ? "private" : "public";
}
