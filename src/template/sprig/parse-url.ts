import { FunctionError, quote } from "#golang";
import { fromByteText, toByteText } from "./byte-text.ts";

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
  const [address, fragment] = splitOnce(text, "#");
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
export function splitOnce(text: string, separator: string): [before: string, after: string] {
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
  const [rest, query] = splitOnce(text.slice(written.length), "?");
  const parts = { ...nothing, scheme, query };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...parts, opaque: rest };
    if (splitOnce(rest, "/")[0].includes(":"))
      throw new FunctionError("first path segment in URL cannot contain colon");
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
  const [name, password] = splitOnce(userinfo, ":");
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
    // Several hosts with ports are allowed, as for databases, but not for http and https.
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

/** Refuses what Go's `netip.ParseAddr` does not accept as an IPv6 address, in its words. */
function checkIpv6(text: string): void {
  const kind = /[.:%]/.exec(text)?.[0];
  if (kind === ":") checkGroups(text);
  else if (kind === ".") {
    checkIpv4(text, text);
    throw new FunctionError("invalid IP-literal");
  } else throw problem(text, kind === "%" ? "missing IPv6 address" : "unable to parse IP");
}

function problem(text: string, message: string, at = ""): FunctionError {
  const place = at === "" ? "" : ` (at ${quote(at)})`;
  return new FunctionError(`invalid host: ParseAddr(${quote(text)}): ${message}${place}`);
}

/** Reads the groups of four hexadecimal digits one by one; `::` may stand once for as many zeros as are missing. */
function checkGroups(text: string): void {
  const zone = text.indexOf("%");
  if (zone === text.length - 1) throw problem(text, "zone must be a non-empty string");
  let rest = zone < 0 ? text : text.slice(0, zone);
  let groups = 0;
  let hasEllipsis = rest.startsWith("::");
  if (hasEllipsis) rest = rest.slice(2);
  if (hasEllipsis && rest === "") return;
  while (groups < 8) {
    const [digits = ""] = /^[0-9a-fA-F]*/.exec(rest) ?? [];
    if (digits.length > 4) throw problem(text, "each group must have 4 or less digits", rest);
    if (digits === "") throw problem(text, "each colon-separated field must have at least one digit", rest);
    if (rest[digits.length] === ".") {
      checkEmbeddedIpv4(text, rest, groups, hasEllipsis);
      groups += 2;
      rest = "";
      break;
    }
    groups += 1;
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) throw problem(text, "unexpected character, want colon", rest);
    if (rest === ":") throw problem(text, "colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest.startsWith(":")) {
      if (hasEllipsis) throw problem(text, "multiple :: in address", rest);
      hasEllipsis = true;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  if (rest !== "") throw problem(text, "trailing garbage after address", rest);
  if (groups < 8 && !hasEllipsis) throw problem(text, "address string too short");
  if (groups === 8 && hasEllipsis) throw problem(text, "the :: must expand to at least one field of zeros");
}

function checkEmbeddedIpv4(text: string, rest: string, groups: number, hasEllipsis: boolean): void {
  if (!hasEllipsis && groups !== 6)
    throw problem(text, "embedded IPv4 address must replace the final 2 fields of the address", rest);
  if (groups > 6) throw problem(text, "too many hex fields to fit an embedded IPv4 at the end of the address", rest);
  checkIpv4(text, rest);
}

function checkIpv4(text: string, address: string): void {
  let octet = "";
  let dots = 0;
  for (let at = 0; at < address.length; at += 1) {
    const character = address[at] ?? "";
    if (/\d/.test(character)) {
      if (octet === "0") throw problem(text, "IPv4 field has octet with leading zero");
      octet += character;
      if (Number(octet) > 255) throw problem(text, "IPv4 field has value >255");
    } else if (character === ".") {
      if (octet === "" || at === address.length - 1)
        throw problem(text, "IPv4 field must have at least one digit", address.slice(at));
      if (dots === 3) throw problem(text, "IPv4 address too long");
      dots += 1;
      octet = "";
    } else throw problem(text, "unexpected character", address.slice(at));
  }
  if (dots < 3) throw problem(text, "IPv4 address too short");
}

/** The parts of a URL, each with its own set of characters that need no escape. */
type UrlPart = "path" | "host" | "zone" | "userinfo" | "fragment";

const unescaped: Readonly<Record<UrlPart, RegExp>> = {
  path: /[A-Za-z0-9\-_.~$&+,/:;=@]/,
  host: /[A-Za-z0-9\-_.~!"$&'()*+,:;<=>[\]]/,
  zone: /[A-Za-z0-9\-_.~!"$&'()*+,:;<=>[\]]/,
  userinfo: /[A-Za-z0-9\-_.~$&+,;=]/,
  fragment: /[A-Za-z0-9\-_.~!$&()*+,/:;=?@]/,
};

/** Go's escaping of a part of a URL, byte by byte. */
export function escapeUrl(text: string, part: UrlPart): string {
  return toByteText(text).replaceAll(/[^]/g, (byte) =>
    unescaped[part].test(byte) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

/** Decodes the escapes of a part of a URL; fails on those that Go refuses there. */
function unescapeUrl(text: string, part: UrlPart): string {
  const bytes = toByteText(text);
  const isHost = part === "host" || part === "zone";
  if (!isHost && !bytes.includes("%")) return text;
  let output = "";
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? "";
    if (byte !== "%") {
      if (isHost && byte < "\x80" && !unescaped[part].test(byte))
        throw new FunctionError(`invalid character ${quote(byte)} in host name`);
      output += byte;
      continue;
    }
    const escape = bytes.slice(at, at + 3);
    const value = /^%[0-9a-fA-F]{2}$/.test(escape)
      ? String.fromCharCode(Number.parseInt(escape.slice(1), 16))
      : undefined;
    if (value === undefined || !mayBeEscaped(value, escape, part))
      throw new FunctionError(`invalid URL escape ${quote(fromByteText(escape))}`);
    output += value;
    at += 2;
  }
  return fromByteText(output);
}

/** In a host only bytes beyond ASCII may be escaped, and the percent sign that begins the zone of an IPv6 address. */
function mayBeEscaped(value: string, escape: string, part: UrlPart): boolean {
  if (escape === "%25") return true;
  if (part === "host") return value >= "\x80";
  return part !== "zone" || value === " " || unescaped.host.test(value);
}
