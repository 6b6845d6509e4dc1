import { FunctionError, quote } from "#golang";

/** Refuses what Go's `netip.ParseAddr` does not read as an address with colons, in its words. */
export function checkIpv6(text: string): void {
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
