import { type FieldPath } from "#base";
import { locateInYaml } from "#yaml";
import type { BundleReading } from "#bundle";
import type { Locate } from "./finding.ts";

/**
 * Finds fields in the files that data was read from: the nearest field around the one asked for, if that is not written there
 * as it is read. Undefined for what is in no file.
 */
export function fieldLocator(find: BundleReading["find"]): Locate {
  const texts = new Map<string, Promise<string | undefined>>();
  return async (file, at, signal) => {
    const original = find("data", file);
    if (!original) return undefined;
    const reading = texts.get(file) ?? original.text(signal).catch(() => undefined);
    texts.set(file, reading);
    const text = await reading;
    const place = text === undefined ? undefined : nearestPlace(text, at);
    return place ? `${original.file}:${place.line}:${place.column}` : original.file;
  };
}

function nearestPlace(text: string, at: FieldPath) {
  const [list, ...below] = at;
  // The former name, under which it may be written.
  const lists = list === "managed" ? ["managed", "operate"] : [list ?? ""];
  for (let length = below.length; length >= 0; length--) {
    for (const name of lists) {
      const place = locateInYaml(text, [name, ...below.slice(0, length)]);
      if (place) return place;
    }
  }
  return undefined;
}
