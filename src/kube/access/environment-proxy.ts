import { BlockList, isIP } from "node:net";

/** The proxy that HTTPS_PROXY or HTTP_PROXY names for this server, unless NO_PROXY exempts it; as kubectl reads them. */
export function environmentProxy(server: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const name = server.protocol === "https:" ? "https_proxy" : "http_proxy";
  const given = env[name.toUpperCase()] || env[name];
  if (!given || isExempt(server, env["NO_PROXY"] ?? env["no_proxy"] ?? "")) return undefined;
  const url = given.includes("://") ? given : `http://${given}`;
  const proxy = URL.canParse(url) ? new URL(url) : undefined;
  return proxy?.protocol === "http:" || proxy?.protocol === "https:" ? proxy : undefined;
}

/** https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config */
function isExempt(server: URL, exemptions: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || isLoopback(host)) return true;
  return exemptions
    .split(",")
    .map((exemption) => exemption.trim().toLowerCase())
    .some((exemption) => matches(exemption, host, port));
}

function isLoopback(host: string): boolean {
  return host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function matches(exemption: string, host: string, port: string): boolean {
  if (exemption === "") return false;
  if (exemption === "*") return true;
  if (exemption.includes("/")) return isWithin(host, exemption);
  const { name = exemption, port: onlyPort } = /^(?<name>[^:]+):(?<port>\d+)$/.exec(exemption)?.groups ?? {};
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(host) !== 0) return name.replace(/^\[|\]$/g, "") === host;
  const domain = name.replace(/^\*?\./, "");
  return host.endsWith(`.${domain}`) || (host === domain && domain === name);
}

function isWithin(host: string, range: string): boolean {
  const [network = "", bits = ""] = range.split("/");
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits)) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}
