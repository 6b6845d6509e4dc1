import { FunctionError, quote } from "#golang";
import { checkIpv6 } from "./ip-address.ts";
import { escapeUrl, unescapeUrl } from "./url-escape.ts";

/** The parts of a URL, without their escapes but for the query and what is opaque. */
export interface UrlParts {
  readonly scheme: string;
  readonly opaque: string;
  /** With its escapes, as Go writes them; `undefined` if there was no `@`. */
  readonly userinfo: string | undefined;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** Go's `url.Parse`. */
export function parseUrl(text: string): UrlParts {
  const [address, fragment] = cut(text, "#");
  const parts = withUrlInError(address, () => parseAddress(address));
  return { ...parts, fragment: withUrlInError(text, () => unescapeUrl(fragment, "fragment")) };
}

function withUrlInError<T>(text: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new FunctionError(`parse ${quote(text)}: ${error.message}`);
  }
}

/** The text before the first separator and that behind it. */
export function cut(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

const nothing = { scheme: "", opaque: "", userinfo: undefined, host: "", path: "", query: "" };

function parseAddress(text: string): Omit<UrlParts, "fragment"> {
  // oxlint-disable-next-line no-control-regex
  if (/[\0-\x1f\x7f]/.test(text)) throw new FunctionError("net/url: invalid control character in URL");
  if (text === "*") return { ...nothing, path: "*" };
  if (text.startsWith(":")) throw new FunctionError("missing protocol scheme");
  const [written = ""] = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(text) ?? [];
  const scheme = written.slice(0, -1).toLowerCase();
  const [rest, query] = cut(text.slice(written.length), "?");
  const parts = { ...nothing, scheme, query };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...parts, opaque: rest };
    if (cut(rest, "/")[0].includes(":")) throw new FunctionError("first path segment in URL cannot contain colon");
  }
  const hasAuthority = rest.startsWith("//") && (scheme !== "" || !rest.startsWith("///"));
  if (!hasAuthority) return { ...parts, path: unescapeUrl(rest, "path") };
  const end = rest.indexOf("/", 2);
  const authority = end < 0 ? rest.slice(2) : rest.slice(2, end);
  return { ...parts, ...parseAuthority(scheme, authority), path: unescapeUrl(end < 0 ? "" : rest.slice(end), "path") };
}

function parseAuthority(scheme: string, authority: string): Pick<UrlParts, "userinfo" | "host"> {
  const at = authority.lastIndexOf("@");
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { userinfo: undefined, host };
  const userinfo = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userinfo)) throw new FunctionError("net/url: invalid userinfo");
  const [name, password] = cut(userinfo, ":");
  const written = escapeUrl(unescapeUrl(name, "userinfo"), "userinfo");
  if (!userinfo.includes(":")) return { userinfo: written, host };
  return { userinfo: `${written}:${escapeUrl(unescapeUrl(password, "userinfo"), "userinfo")}`, host };
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) throw new FunctionError("invalid IP-literal");
  if (bracket === 0) return parseIpLiteral(host);
  const first = host.indexOf(":");
  if (first >= 0) {
    // Several hosts with ports, as databases have them, are let through; browsers' schemes are not for them.
    const isStrict = scheme === "http" || scheme === "https";
    checkPort(host.slice(isStrict ? first : host.lastIndexOf(":")));
  }
  return unescapeUrl(host, "host");
}

function parseIpLiteral(host: string): string {
  const end = host.lastIndexOf("]");
  if (end < 0) throw new FunctionError("missing ']' in host");
  const port = host.slice(end + 1);
  checkPort(port);
  const name = host.slice(1, end);
  const zone = name.indexOf("%25");
  const address =
    zone < 0
      ? unescapeUrl(name, "host")
      : unescapeUrl(name.slice(0, zone), "host") + unescapeUrl(name.slice(zone), "zone");
  checkIpv6(address);
  return `[${address}]${port}`;
}

function checkPort(port: string): void {
  if (!isPort(port)) throw new FunctionError(`invalid port ${quote(port)} after host`);
}

function isPort(port: string): boolean {
  return port === "" || /^:\d*$/.test(port);
}

/** The host without its port and without the brackets of an IPv6 address. */
export function hostnameOf(host: string): string {
  const colon = host.lastIndexOf(":");
  const name = colon >= 0 && isPort(host.slice(colon)) ? host.slice(0, colon) : host;
  return name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
}
