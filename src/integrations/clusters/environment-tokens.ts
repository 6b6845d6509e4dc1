import { Secret } from "#base";
import type { TokenStore } from "./token-store.ts";

/** The variable that holds the token of a cluster: `prod-eu` has `TENON_TOKEN_PROD_EU`. */
export function tokenVariable(cluster: string): string {
  return `TENON_TOKEN_${cluster.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}

/** Tokens in the environment, one variable a cluster; paths do not count. */
export function environmentTokens(env: NodeJS.ProcessEnv): TokenStore {
  return {
    description: "the environment (TENON_TOKEN_<CLUSTER>)",
    async read({ cluster, reference: { field } }) {
      const token = env[tokenVariable(cluster)];
      return token ? new Map([[field, new Secret(token)]]) : undefined;
    },
  };
}
