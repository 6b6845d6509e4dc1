import { describe, expect, it } from "vitest";
import { fc } from "#seeded";
import { writtenForms } from "./written-forms.ts";

/** Lone surrogates included. */
const anyValue = fc.array(fc.nat(0xffff), { minLength: 6 }).map((units) => String.fromCharCode(...units));
const anyBytes = fc.uint8Array({ maxLength: 8 });

function isWrittenIn(text: string, value: string): boolean {
  return [...writtenForms(value)].some((form) => text.includes(form));
}

describe("writtenForms", () => {
  it.each([
    { reason: "bare", text: 'p<"w\\d&', value: 'p<"w\\d&' },
    { reason: "in JSON", text: JSON.stringify({ key: 'p"w\\d\n!' }), value: 'p"w\\d\n!' },
    { reason: "in JSON that Go wrote", text: String.raw`{"key":"p\u003cw\u0026d\""}`, value: 'p<w&d"' },
    { reason: "in JSON within JSON", text: JSON.stringify(JSON.stringify('p"w\\d!')), value: 'p"w\\d!' },
    { reason: "in a URL's path", text: "https://example.com/p%2Fw%20%26d", value: "p/w &d" },
    { reason: "in a URL's query", text: "https://example.com/?token=p%2Fw+%26d", value: "p/w &d" },
    { reason: "in a Secret's data", text: "password: aHVudGVyMjIh", value: "hunter22!" },
    { reason: "in a Secret's data, with a newline", text: "password: aHVudGVyMjIK", value: "hunter22" },
    { reason: "in basic authentication", text: `Basic ${btoa("user:hunter22")}`, value: "hunter22" },
    { reason: "in url-safe base64", text: "fn5-Pz8_fn4", value: "~~~???~~" },
    { reason: "in standard base64", text: "fn5+Pz8/fn4=", value: "~~~???~~" },
  ])("knows a value $reason", ({ text, value }) => {
    expect(isWrittenIn(text, value)).toBe(true);
  });

  it("knows any value at any place of any base64 text", () => {
    fc.assert(
      fc.property(anyBytes, anyValue, anyBytes, (before, value, after) => {
        const bytes = Buffer.concat([before, Buffer.from(value), after]);
        expect(isWrittenIn(bytes.toString("base64"), value)).toBe(true);
        expect(isWrittenIn(bytes.toString("base64url"), value)).toBe(true);
      }),
    );
  });

  it("leaves no trace of the value's last byte where base64 text ends with it", () => {
    const [longest] = [...writtenForms("hunter2")]
      .filter((form) => btoa("hunter2").startsWith(form))
      .toSorted()
      .toReversed();
    expect(longest).toBe(btoa("hunter2").replaceAll("=", ""));
  });

  it("gives no form shorter than the value, so that no harmless text matches", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const lengths = [...writtenForms(value)].map((form) => form.length);
        expect(Math.min(...lengths)).toBe(value.length);
      }),
    );
  });

  it("gives a plain token once, and in base64", () => {
    expect([...writtenForms("aaaaaa")]).toEqual(["aaaaaa", "YWFhYWFh", "FhYWFhYQ", "FhYWFhY", "hYWFhYWE", "hYWFhYW"]);
  });
});
