import { FunctionError, quote } from "#golang";
import { fromByteText, toByteText } from "./byte-text.ts";

/** The parts of a URL that have rules of their own about which characters may stand for themselves. */
export type UrlPart = "path" | "host" | "zone" | "userinfo" | "fragment";

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

/** Undoes the escapes of a part of a URL; fails on those that Go does not let stand there. */
export function unescapeUrl(text: string, part: UrlPart): string {
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
