import { compareText } from "./compare-text.ts";
import { type Exact, isExactObject, WholeFloat } from "./exact.ts";

const plain = /^[ !#-[\]-~]*$/;
const beyondAscii = /[\u007f-\uffff]/g;

/**
 * The JSON text that hashes are made of: keys in the order of code points, `, ` and `: ` between, ASCII only, and floats that
 * show that they are floats. It is what Python's `json.dumps(sort_keys=True)` writes.
 */
export function canonicalText(value: Exact): string {
  if (typeof value === "string") return stringText(value);
  if (value === null || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number")
    return Number.isInteger(value) && !Object.is(value, -0) ? integerText(value) : floatText(value);
  if (value instanceof WholeFloat) return floatText(value.value);
  if (!isExactObject(value)) return `[${value.map(canonicalText).join(", ")}]`;
  let text = "";
  for (const key of Object.keys(value).toSorted(compareText)) {
    const field = value[key];
    if (field !== undefined) text += `${text === "" ? "" : ", "}${stringText(key)}: ${canonicalText(field)}`;
  }
  return `{${text}}`;
}

function stringText(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function integerText(value: number): string {
  return Math.abs(value) < 2 ** 53 ? String(value) : String(BigInt(value));
}

/** The shortest digits that read back as the same, with an exponent of two digits outside of 1e-4 to 1e16. */
function floatText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  const [mantissa = "0", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}
