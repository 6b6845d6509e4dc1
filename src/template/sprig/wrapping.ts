import { type CallContext, type GoFunction, goFunction } from "#golang";
import { byBytes, fromByteText, toByteText } from "./byte-text.ts";

/** Fits a text into a width, which is counted in bytes. */
export const wrapping: Record<string, GoFunction> = {
  wrap: goFunction(["int", "string"], ([width, text]) =>
    byBytes(text, (bytes) => wrapLines(bytes, atLeastOne(width), false).join("\n")),
  ),
  wrapWith: goFunction(["int", "string", "string"], ([width, separator, text], context) =>
    wrapWith(text, atLeastOne(width), separator || "\n", context),
  ),
  abbrev: goFunction(["int", "string"], ([width, text]) =>
    width < 4n ? text : byBytes(text, (bytes) => abbreviate(bytes, bytes.length, Number(width))),
  ),
  abbrevboth: goFunction(["int", "int", "string"], ([left, right, text]) => {
    if (right < 4n || (left > 0n && right < 7n)) return text;
    // Go's int wraps around.
    return byBytes(text, (bytes) =>
      abbreviate(bytes, Number(BigInt.asIntN(64, BigInt(bytes.length) - left)), Number(right)),
    );
  }),
};

function atLeastOne(width: bigint): number {
  return width < 1n ? 1 : Number(width);
}

function wrapWith(text: string, width: number, separator: string, { budget }: CallContext): string {
  const lines = wrapLines(toByteText(text), width, true);
  budget.make(text.length + lines.length * separator.length);
  return fromByteText(lines.join(toByteText(separator)));
}

/** Breaks at spaces; leading spaces of a line go, trailing ones stay. A longer word is cut, or stands out. */
function wrapLines(text: string, width: number, cutsWords: boolean): string[] {
  const lines: string[] = [];
  let at = 0;
  while (text.length - at > width) {
    if (text[at] === " ") {
      at += 1;
      continue;
    }
    const space = text.slice(at, at + width + 1).lastIndexOf(" ");
    if (space >= 0) {
      lines.push(text.slice(at, at + space));
      at += space + 1;
    } else if (cutsWords) {
      lines.push(text.slice(at, at + width));
      at += width;
    } else {
      const next = text.indexOf(" ", at + width);
      if (next < 0) break;
      lines.push(text.slice(at, next));
      at = next + 1;
    }
  }
  lines.push(text.slice(at));
  return lines;
}

const ellipsis = "...";

/** As goutils does it. Shows at least `seen` bytes from the end, if there is room. */
function abbreviate(text: string, seen: number, width: number): string {
  if (text.length <= width) return text;
  const shown = width - ellipsis.length;
  const start = text.length - Math.max(seen, shown);
  if (start <= 4) return text.slice(0, shown) + ellipsis;
  if (start + shown >= text.length) return ellipsis + text.slice(start);
  const rest = text.slice(start);
  return ellipsis + abbreviate(rest, rest.length, shown);
}
