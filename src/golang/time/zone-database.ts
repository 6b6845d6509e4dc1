import { brotliDecompressSync } from "node:zlib";
import { parseDaylightRule, type ZoneKind } from "./daylight-rule.ts";
import { zoneData } from "./zone-data.ts";
import { fixedZone, utc, Zone } from "./zone.ts";

let lines: ReadonlyMap<string, string> | undefined;
const zones = new Map<string, Zone>();

/**
 * Go's `time.LoadLocation`; `undefined` for a name it does not know. The database is our own: what a template prints must not
 * depend on the machine, and Intl does not know abbreviations such as CET.
 */
export function loadZone(name: string): Zone | undefined {
  if (name === "" || name === "UTC") return utc;
  if (name === "Local") return localZone();
  const known = zones.get(name);
  if (known !== undefined) return known;
  lines ??= readLines();
  const line = lines.get(name);
  if (line === undefined) return undefined;
  const zone = parseZone(name, line);
  zones.set(name, zone);
  return zone;
}

let local: { readonly setting: string | undefined; readonly zone: Zone } | undefined;

/** Go's `time.Local`: the zone that TZ names, or the machine's. */
export function localZone(): Zone {
  const setting = process.env["TZ"];
  // Asking costs a third of a millisecond.
  if (local === undefined || local.setting !== setting) {
    const name = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    // Go's local zone is never its UTC, even where it is the same.
    const zone = name === "UTC" ? undefined : loadZone(name);
    local = { setting, zone: zone ?? fixedZone("UTC", 0) };
  }
  return local.zone;
}

function readLines(): ReadonlyMap<string, string> {
  const text = brotliDecompressSync(Buffer.from(zoneData, "base64")).toString();
  const byName = text.split("\n").flatMap((line): [string, string][] => {
    const [names = ""] = line.split(";", 1);
    return names.split(" ").map((name) => [name, line]);
  });
  return new Map(byName);
}

function parseZone(name: string, line: string): Zone {
  const [, kindTexts = "", changeTexts = "", rule = ""] = line.split(";");
  const kinds = kindTexts.split(" ").map(parseKind);
  const [initial] = kinds;
  let when = 0;
  const changes = changeTexts.split(" ").flatMap((text) => {
    const [since = "", index] = text.split(",");
    const kind = kinds[Number(index)];
    if (kind === undefined) return initial ? [{ when: -Infinity, kind: initial }] : [];
    when += Number.parseInt(since, 36);
    return [{ when, kind }];
  });
  return new Zone(name, kinds, changes, parseDaylightRule(rule));
}

function parseKind(text: string): ZoneKind {
  const [name = "", offset, isDaylight] = text.split(",");
  return { name, offset: Number(offset), isDaylight: isDaylight === "1" };
}
