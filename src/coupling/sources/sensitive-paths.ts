import type { FieldPath } from "#base";
import { sides } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";

/** kubectl writes the whole manifest into it. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Where the objects themselves hold what the interface calls sensitive: nothing keeps a user from writing a password into
 * `spec.config`, and a template from reading it there.
 */
export function sensitivePaths({ plug, socket }: { readonly plug?: Plug; readonly socket: Socket }): FieldPath[] {
  const objects = { plug, socket };
  const paths: FieldPath[] = [];
  for (const part of ["config", "result"] as const) {
    for (const side of sides) {
      for (const [key, property] of Object.entries(socket.spec.interface?.[part]?.[side] ?? {})) {
        if (!property?.sensitive) continue;
        if (property.default !== undefined) paths.push(["socket", "spec", "interface", part, side, key, "default"]);
        if (objects[side]?.spec[part]?.[key] !== undefined) paths.push([side, "spec", part, key]);
      }
    }
  }
  const touched = new Set(paths.map(([side = ""]) => side));
  for (const side of touched) paths.push([side, "metadata", "annotations", lastApplied]);
  return paths;
}
