export interface PemBlock {
  readonly type: string;
  readonly bytes: Buffer;
}

const ending = "\n-----END ";
const beginning = "-----BEGIN ";

/** The first block of a text, by Go's rules: text around it is ignored, and an incomplete block is skipped. */
export function decodePem(text: string): PemBlock | undefined {
  let rest = text;
  for (let end = rest.indexOf(ending); end >= 0; end = rest.indexOf(ending)) {
    const begin = rest.lastIndexOf(beginning, end);
    const isAtLineStart = begin === 0 || rest.charAt(begin - 1) === "\n";
    const block = begin >= 0 && begin < end && isAtLineStart ? readBlock(rest.slice(begin), end - begin) : undefined;
    if (block !== undefined) return block;
    rest = rest.slice(end + ending.length);
  }
  return undefined;
}

// oxlint-disable-next-line tenon/linear-patterns -- five dashes stand between the two, so white space is read once
const typeLine = /^-----BEGIN ([^\n]*)-----[ \t]*\r?(?:\n|$)/;
const header = /^[^\n:]*:[^\n]*(?:\n|$)/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function readBlock(text: string, end: number): PemBlock | undefined {
  const [line = "", type = ""] = typeLine.exec(text) ?? [];
  const trailer = text.slice(end + ending.length);
  if (line === "" || !trailer.startsWith(`${type}-----`)) return undefined;
  if (!/^[ \t]*\r?(?:\n|$)/.test(trailer.slice(type.length + 5))) return undefined;
  let start = line.length;
  for (let match = header.exec(text.slice(start)); match !== null; match = header.exec(text.slice(start)))
    start += match[0].length;
  if (start > line.length && start > end) return undefined;
  const body = text.slice(start, Math.max(start, end)).replaceAll(/[ \t\r\n]/g, "");
  return base64.test(body) ? { type, bytes: Buffer.from(body, "base64") } : undefined;
}

/** One block, in lines of 64 letters. */
export function encodePem(type: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ""].join("\n");
}
