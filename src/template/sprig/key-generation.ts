import { generateKeyPairSync, type KeyObject } from "node:crypto";
import type { CallContext } from "#golang";

/** Nothing can interrupt the making of a key: what it costs keeps a tenant from asking for many. */
const steps = { rsa2048: 50_000, rsa4096: 200_000, dsa: 200_000, curve: 2_000 };

export function makeRsaKey(modulusLength: 2_048 | 4_096, { budget }: CallContext): KeyObject {
  budget.step(modulusLength === 2_048 ? steps.rsa2048 : steps.rsa4096);
  return generateKeyPairSync("rsa", { modulusLength }).privateKey;
}

/** A key of the kind that `genPrivateKey` is asked for; `undefined` for one it does not know. */
export function makePrivateKey(kind: string, context: CallContext): KeyObject | undefined {
  switch (kind) {
    case "":
    case "rsa":
      return makeRsaKey(4_096, context);
    case "dsa":
      context.budget.step(steps.dsa);
      return generateKeyPairSync("dsa", { modulusLength: 2_048, divisorLength: 256 }).privateKey;
    case "ecdsa":
      context.budget.step(steps.curve);
      return generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
    case "ed25519":
      context.budget.step(steps.curve);
      return generateKeyPairSync("ed25519").privateKey;
    default:
      return undefined;
  }
}
