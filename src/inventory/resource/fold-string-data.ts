import { canonicalText } from "./canonical-text.ts";
import { type Exact, type ExactObject, mapAt } from "./exact.ts";

/** A Secret as the API server keeps it: `stringData` is encoded into `data`, and wins over what is there. */
export function foldStringData(secret: ExactObject): ExactObject {
  if (!Object.hasOwn(secret, "stringData")) return secret;
  const { stringData: _, ...rest } = secret;
  const folded: { [key: string]: Exact } = { ...mapAt(secret, "data") };
  for (const [key, value] of Object.entries(mapAt(secret, "stringData"))) folded[key] = encode(value);
  return { ...rest, data: folded };
}

function encode(value: Exact): string {
  if (!value) return "";
  return Buffer.from(typeof value === "string" ? value : canonicalText(value)).toString("base64");
}
