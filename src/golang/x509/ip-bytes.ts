import { isIP } from "node:net";

/** An address as certificates hold it, by Go's `net.ParseIP`; an IPv4 address within IPv6 is four bytes. */
export function ipBytes(text: string): Buffer | undefined {
  const version = text.includes("%") ? 0 : isIP(text);
  if (version === 4) return ipv4Bytes(text);
  return version === 6 ? shortest(ipv6Bytes(text)) : undefined;
}

function ipv4Bytes(text: string): Buffer {
  return Buffer.from(text.split(".").map(Number));
}

function ipv6Bytes(text: string): Buffer {
  const lastColon = text.lastIndexOf(":");
  const embedded = text.includes(".") ? ipv4Bytes(text.slice(lastColon + 1)).toString("hex") : undefined;
  const groups =
    embedded === undefined ? text : `${text.slice(0, lastColon)}:${embedded.slice(0, 4)}:${embedded.slice(4)}`;
  const [before = "", after = ""] = groups.split("::");
  const left = groupsHex(before);
  const right = groupsHex(after);
  return Buffer.from(left + right.padStart(32 - left.length, "0"), "hex");
}

function groupsHex(groups: string): string {
  return groups === ""
    ? ""
    : groups
        .split(":")
        .map((group) => group.padStart(4, "0"))
        .join("");
}

function shortest(address: Buffer): Buffer {
  const isEmbedded = address.toString("hex", 0, 12) === "00000000000000000000ffff";
  return isEmbedded ? address.subarray(12) : address;
}
