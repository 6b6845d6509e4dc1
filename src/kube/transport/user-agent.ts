import { readFileSync } from "node:fs";

let known: string | undefined;

/** How the server's logs and field managers name us. */
export function userAgent(): string {
  known ??= `tenon/${readVersion()}`;
  return known;
}

function readVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}
