import type { IsOwn } from "#template";
import type { Side } from "../kinds/names.ts";
import type { ResolvedMap } from "../sources/resolved.ts";

/** The status of an object is written by others, too. */
const writtenParts = new Set(["apiVersion", "kind", "metadata", "spec"]);
const writtenSource = /^(?:config|result)(?:$|\w+Name )/;

/**
 * Which data a side has written itself, for its templates: its object, and the values that it has in its spec, in Secrets and in
 * ConfigMaps. What its templates and its apparatus made may be made of what the other side gave.
 */
export function ownBy(side: Side, maps: Readonly<Record<string, ResolvedMap>>): IsOwn {
  const config = computedKeys(side, maps[`${side}Config`]);
  const result = computedKeys(side, maps[`${side}Result`]);
  const computed = new Map([
    [`${side}Config`, config],
    [`${side}Result`, result],
    ["result", result],
  ]);
  return ([root = "", key]) => {
    if (root === side) return key !== undefined && writtenParts.has(key);
    const keys = computed.get(root);
    return keys !== undefined && (key === undefined ? keys.size === 0 : !keys.has(key));
  };
}

/** Defaults are the socket's, whichever side they are for. */
function computedKeys(side: Side, map: ResolvedMap = new Map()): ReadonlySet<string> {
  const isWritten = (source: string): boolean =>
    writtenSource.test(source) || (source === "default" && side === "socket");
  return new Set([...map].filter(([, { source }]) => !isWritten(source)).map(([key]) => key));
}
