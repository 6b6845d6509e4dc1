import type { JsonObject } from "#base";

/** Ways to onboard a team, each with something that the others do not have. */
export const variants: readonly { readonly name: string; readonly values: JsonObject }[] = [
  { name: "as it comes, without an application", values: {} },
  { name: "a namespace for applications to come", values: { namespace: { create: true } } },
  {
    name: "an application, with everything",
    values: {
      application: { name: "shop", displayName: "The shop: all of it" },
      namespace: { create: true, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
      releasePlan: {
        name: "validated",
        pipeline: "tekton",
        tags: ["validated", "{{ git_short_sha }}"],
        autoRelease: false,
        author: "alice",
        gracePeriodDays: 0,
        verification: { keys: "signers", requires: ["signature"], builders: ["https://tekton.dev/chains/v2"] },
      },
      environments: { tasks: true, className: "large", image: "quay.io/acme/tenon@sha256:0" },
      pushToRegistry: { image: "quay.io/acme/tenon@sha256:0", plainHttp: ["reg.local:5000"] },
      serviceAccounts: { pipeline: { registrySecrets: ["quay", "other.registry"] }, runner: { clusterRole: "view" } },
      gitops: {
        repository: "https://git.example/acme/gitops",
        branch: "stable",
        paths: ["apps/shop"],
        stage: "staging",
        forge: { kind: "gitea", credentials: "forge" },
        images: [{ repository: "quay.io/acme/web", component: "web" }, { repository: "quay.io/acme/api" }],
        registryCredentials: "quay",
      },
    },
  },
  {
    name: "an application with a long name, accounts of someone else, no plan",
    values: {
      application: { name: "a".repeat(63) },
      releasePlan: { create: false },
      serviceAccounts: { pipeline: { create: false }, runner: { create: false } },
    },
  },
  { name: "a plan for an application with a long name", values: { application: { name: `${"long-".repeat(12)}er` } } },
];
