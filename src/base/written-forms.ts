/** Every form in which a value may appear in text that leaves the process: plain, JSON, URL or base64 encoded. */
export function writtenForms(value: string): ReadonlySet<string> {
  const bareOrJson = [value, insideJson(value), insideGoJson(value)];
  const wellFormed = value.toWellFormed();
  return new Set([
    ...bareOrJson,
    // A response body quoted in an error message, and that message in a log line: JSON within JSON.
    ...bareOrJson.map(insideJson),
    encodeURIComponent(wellFormed),
    new URLSearchParams({ "": wellFormed }).toString().slice("=".length),
    ...insideBase64(value),
  ]);
}

function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Go's encoding/json also escapes what HTML could misread: https://pkg.go.dev/encoding/json#Marshal */
function insideGoJson(text: string): string {
  return insideJson(text).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/**
 * Base64 encodes three bytes as four characters, so the form of a value in `user:value` or `value\n` depends on its offset
 * modulo three and on what follows. Characters shared with a neighbouring byte are left out, except at the end.
 */
function insideBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64url");
    const firstOwn = Math.ceil((offset * 8) / 6);
    const lastOwn = Math.floor(((offset + bytes.length) * 8) / 6);
    return [encoded.slice(firstOwn), encoded.slice(firstOwn, lastOwn)];
  });
  return forms.flatMap((form) => [form, form.replaceAll("-", "+").replaceAll("_", "/")]);
}
