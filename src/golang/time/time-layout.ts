/** A part of one of Go's layouts; elements are named by how the reference time writes them. */
export type LayoutPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "field"; readonly text: LayoutField }
  /** `-07:00` and its kin; with a Z in place of the sign, UTC is Z. */
  | { readonly kind: "offset"; readonly text: string }
  /** `.000`, or `.999` where trailing zeros are left out. */
  | { readonly kind: "fraction"; readonly text: string; readonly digits: number; readonly trimmed: boolean };

export type LayoutFraction = Extract<LayoutPart, { kind: "fraction" }>;

const fields = [
  ...(["January", "Jan", "1", "01", "Monday", "Mon", "2", "_2", "02", "__2", "002"] as const),
  ...(["15", "3", "03", "4", "04", "5", "05", "PM", "pm", "2006", "06", "MST"] as const),
];

export type LayoutField = (typeof fields)[number];

// A month or weekday that a small letter follows is a word of the text, and `_2006` is a year after an underscore.
const elementAhead =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|2|_2(?!006)|__2|[345]|PM|pm|[-Z]07(?:0000|:00:00|00|:00|)|[.,](?:0+|9+)(?!\d)/g;

/** A layout in its parts: `2006-01` is the year, a dash, the month. */
export function parseLayout(layout: string): readonly LayoutPart[] {
  const parts: LayoutPart[] = [];
  let at = 0;
  for (const match of layout.matchAll(elementAhead)) {
    if (match.index > at) parts.push({ kind: "text", text: layout.slice(at, match.index) });
    parts.push(elementOf(match[0]));
    at = match.index + match[0].length;
  }
  if (at < layout.length) parts.push({ kind: "text", text: layout.slice(at) });
  return parts;
}

function elementOf(text: string): LayoutPart {
  if (isField(text)) return { kind: "field", text };
  if (/^[-Z]/.test(text)) return { kind: "offset", text };
  // Go keeps the number of digits in twelve bits.
  return { kind: "fraction", text, digits: (text.length - 1) & 0xfff, trimmed: text.endsWith("9") };
}

const knownFields = new Set<string>(fields);

function isField(text: string): text is LayoutField {
  return knownFields.has(text);
}
