import { InputError, Secret, valueAt } from "#base";
import type { KubeClient } from "#kube";
import type { TokenStore } from "./token-store.ts";

/** Names of Secrets: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names */
const legalName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Tokens in Secrets of one namespace. The slashes of a path are dots in the name: `creds/prod-eu` is the Secret `creds.prod-eu`. */
export function kubernetesTokens(client: Pick<KubeClient, "find">, namespace: string): TokenStore {
  return {
    description: `the Secrets of the namespace ${namespace}`,
    async read({ reference: { path } }, signal) {
      const name = path.split("/").filter(Boolean).join(".");
      if (name.length > 253 || !legalName.test(name)) {
        throw new InputError(`the secret's path ${path} does not make a valid name for a Secret`, {
          next: "use lower-case letters, digits, - and / only, or keep tokens in another store",
        });
      }
      const secret = await client.find({ apiVersion: "v1", kind: "Secret", namespace, name }, signal);
      if (!secret) return undefined;
      const data = valueAt(secret, ["data"]);
      const entries = Object.entries(typeof data === "object" && data !== null ? data : {});
      return new Map(entries.map(([field, value]) => [field, new Secret(decode(String(value)))]));
    },
  };
}

function decode(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}
