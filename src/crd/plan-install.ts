import { InputError } from "#base";
import { type CustomResourceDefinition, hashAnnotation } from "./custom-resource-definition.ts";
import type { LiveDefinition } from "./live-definition.ts";

export type InstallAction = "install" | "upgrade" | "leave";

/** Compares a definition with the live one. Refuses changes that would lose objects. */
export function planInstall(desired: CustomResourceDefinition, live: LiveDefinition | undefined): InstallAction {
  if (!live) return "install";
  checkUpgrade(desired, live);
  const hash = desired.metadata.annotations[hashAnnotation];
  const isSame = live.metadata.annotations[hashAnnotation] === hash && covers(live.spec, desired.spec);
  return isSame ? "leave" : "upgrade";
}

function checkUpgrade(desired: CustomResourceDefinition, { spec, status }: LiveDefinition): void {
  const where = `CustomResourceDefinition ${desired.metadata.name}`;
  const { scope, names, versions } = desired.spec;
  if (spec.scope !== scope) {
    throw new InputError(`its scope cannot change from ${spec.scope} to ${scope}`, {
      where,
      next: "keep the scope, or define the kind under another group",
    });
  }
  if (spec.names.kind !== names.kind) {
    throw new InputError(`expected kind ${names.kind}, but the existing definition has kind ${spec.names.kind}`, {
      where,
      next: "choose another plural or group, or delete that definition and with it all objects of its kind",
    });
  }
  const lost = status.storedVersions.filter((stored) => versions.every(({ name }) => name !== stored));
  if (lost.length > 0) {
    throw new InputError(`objects may still be stored as ${lost.join(", ")}, which is no longer defined`, {
      where,
      next: `keep ${lost.join(", ")} in otherVersions, with served: false if need be, until every object has been rewritten and status.storedVersions no longer lists it`,
    });
  }
}

/** Whether the live value contains the desired one. The server and other field managers may add fields. */
function covers(live: unknown, desired: unknown): boolean {
  if (Array.isArray(desired)) {
    return Array.isArray(live) && live.length === desired.length && desired.every((item, at) => covers(live[at], item));
  }
  if (typeof desired !== "object" || desired === null) return Object.is(live, desired);
  if (typeof live !== "object" || live === null || Array.isArray(live)) return false;
  const fields = new Map<string, unknown>(Object.entries(live));
  return Object.entries(desired).every(([name, value]) => fields.has(name) && covers(fields.get(name), value));
}
