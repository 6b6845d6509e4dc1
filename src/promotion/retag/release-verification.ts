import { z } from "zod";
import { InputError, isRecord, Semaphore } from "#base";
import {
  describeMissing,
  parseVerificationKeys,
  type Registries,
  type VerificationKey,
  verificationParts,
  type VerificationRules,
  verifyImage,
} from "#oci";
import { type ActingAccount, readAccountSecret } from "./account-secrets.ts";
import { listProblems } from "./plan-release-tags.ts";
import type { ReleasedComponent } from "./release-mapping.ts";

const Verification = z.strictObject({
  keys: z.string().min(1),
  requires: z.array(z.enum(verificationParts)).min(1).default(["signature", "provenance"]),
  builders: z.array(z.string()).min(1).max(100).optional(),
});
/** What images must carry before they are released, and the Secret with the keys. */
export type ReleaseVerification = z.infer<typeof Verification>;

/** Settings by which a Release could weaken its plan. */
const planOnly = ["verification", "allowExpiring"] as const;
const atOnce = 4;
const mostKeys = 50;

/** Refuses a Release whose own data has what only its plan, or an admission, may say. */
export function refuseWeakening(release: unknown): void {
  const data = isRecord(release) && isRecord(release["data"]) ? release["data"] : {};
  const given = planOnly.filter((field) => data[field] !== undefined);
  if (given.length === 0) return;
  throw new InputError(`only a ReleasePlan or a ReleasePlanAdmission may set data.${given.join(", data.")}`, {
    where: "spec.data of the Release",
    next: "create a Release without it",
  });
}

/** Reads `verification` of the merged data; undefined if nothing is asked for. */
export function readReleaseVerification(data: Readonly<Record<string, unknown>>): ReleaseVerification | undefined {
  if (data["verification"] === undefined) return undefined;
  const parsed = Verification.safeParse(data["verification"]);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InputError(issue?.message ?? "unexpected content", {
    where: ["data.verification", ...(issue?.path ?? [])].join("."),
    next: 'write it like {keys: SECRET, requires: [signature, provenance], builders: ["https://..."]}',
  });
}

/** The public keys of a Secret: all its keys whose names end in `.pub`, as `cosign generate-key-pair k8s://` makes it. */
export async function readReleaseKeys(
  account: ActingAccount,
  { keys: name }: ReleaseVerification,
  signal: AbortSignal,
): Promise<readonly VerificationKey[]> {
  const where = "data.verification.keys";
  const texts = await readAccountSecret(account, name, where, signal);
  const secret = `Secret ${account.namespace}/${name}`;
  const keys = [...texts]
    .filter(([key]) => key.endsWith(".pub"))
    .flatMap(([key, text]) => parseVerificationKeys(text, `${secret}, ${key}`));
  if (keys.length > 0 && keys.length <= mostKeys) return keys;
  throw new InputError(keys.length === 0 ? `${secret} has no public key` : `${secret} has ${keys.length} public keys`, {
    where,
    next: `add keys in PEM, at most ${mostKeys}, under names that end in .pub, such as cosign.pub`,
  });
}

/** Refuses the release if an image is not as required; the message names each image and what it lacks. */
export async function requireVerified(
  components: readonly ReleasedComponent[],
  registries: Registries,
  rules: VerificationRules,
  signal: AbortSignal,
): Promise<void> {
  const slots = new Semaphore(atOnce);
  const verified = await Promise.all(
    components.map(({ name, image }) =>
      slots.run(async () => {
        const verification = await verifyImage(registries, image, rules, signal);
        if (verification.missing.length === 0) return [];
        return [`component ${name}: ${describeMissing(image, verification)}`];
      }, signal),
    ),
  );
  const problems = verified.flat();
  if (problems.length === 0) return;
  const sources = [...new Set(rules.keys.map(({ source }) => source))].join(", ");
  throw new InputError(
    listProblems([
      ...problems,
      `no tag was moved; sign what is missing with a key whose public part is in ${sources}, then release again`,
    ]),
  );
}
