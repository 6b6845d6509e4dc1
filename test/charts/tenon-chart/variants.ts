import type { JsonObject } from "#base";

/** Ways to install Tenon, each with something that the others do not have. */
export const variants: readonly { readonly name: string; readonly values: JsonObject }[] = [
  { name: "as it comes", values: {} },
  {
    name: "both jobs, with everything",
    values: {
      jobs: { couple: true, manage: true },
      image: {
        repository: "registry.example.com/tenon",
        digest: `sha256:${"0".repeat(64)}`,
        pullPolicy: "Always",
        pullSecrets: [{ name: "registry" }],
      },
      replicas: 3,
      couple: { namespaces: ["apps", "more-apps"], allowClusterScoped: true },
      manage: {
        config: { data: "https://data.example.com/graphql", clusters: { here: { inCluster: true } } },
        namespaces: ["one", "two"],
        rules: [{ apiGroups: ["example.com"], resources: ["lamps"], verbs: ["get"] }],
      },
      args: ["--interval=5m"],
      env: [{ name: "A", value: "b" }],
      envFrom: [{ secretRef: { name: "s" } }],
      serviceAccount: { name: "robot", annotations: { "example.com/role": "r" } },
      metrics: {
        port: 8080,
        serviceMonitor: { enabled: true, labels: { team: "x" } },
        prometheusRule: { enabled: true },
      },
      podLabels: { team: "x" },
      podAnnotations: { "example.com/a": "b" },
      nodeSelector: { disk: "fast" },
      tolerations: [{ operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      priorityClassName: "high",
      volumes: [{ name: "ca", configMap: { name: "ca" } }],
      volumeMounts: [{ name: "ca", mountPath: "/ca" }],
    },
  },
  {
    name: "plugs of namespaces with a label, beside another release",
    values: { crds: { install: false }, couple: { namespaceSelector: "team in (shop, blog), !legacy" } },
  },
  {
    name: "one job, nothing that others look after",
    values: {
      jobs: { couple: false, manage: true },
      replicas: 1,
      crds: { install: false },
      rbac: { create: false },
      serviceAccount: { create: false },
      fullnameOverride: "manager",
    },
  },
  {
    name: "promote, with all its parts",
    values: {
      jobs: { couple: false, promote: true },
      promote: {
        parts: ["builds", "tests", "releases", "propagation"],
        webhooks: { secret: "webhooks" },
        declaredBuilds: { enabled: true },
      },
    },
  },
  { name: "a console for kubectl port-forward", values: { console: { enabled: true } } },
  {
    name: "a console behind a proxy, with everything",
    values: {
      image: { pullSecrets: [{ name: "registry" }] },
      console: {
        enabled: true,
        publicUrl: "https://tenon.example.com",
        writable: true,
        port: 8443,
        args: ["--read-only"],
        env: [{ name: "A", value: "b" }],
        volumes: [{ name: "ca", emptyDir: {} }],
        volumeMounts: [{ name: "ca", mountPath: "/ca" }],
      },
      podLabels: { team: "x" },
      nodeSelector: { disk: "fast" },
      tolerations: [{ operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      priorityClassName: "high",
    },
  },
  {
    name: "a console with the data of the manager",
    values: {
      jobs: { couple: false, manage: true },
      manage: {
        config: {
          data: "https://git.example.com/data.git#main",
          clusters: { here: { inCluster: true } },
          tokenStore: "environment",
          notifications: [{ urlFrom: { variable: "HOOK" } }],
          stateFile: "/state/state.json",
        },
      },
      console: {
        enabled: true,
        data: true,
        config: { console: { oidc: { issuer: "https://login.example.com", clientId: "tenon" } } },
      },
    },
  },
  {
    name: "environments, and resource claims for them",
    values: {
      jobs: { couple: false, promote: true },
      promote: { parts: ["environments"] },
      dra: {
        enabled: true,
        slots: 20,
        deviceClasses: { "small.env.tenon.dev": "small" },
        nodeSelector: { tests: "yes" },
        tolerations: [{ operator: "Exists" }],
      },
    },
  },
  {
    name: "tests of Snapshots beside the kinds of Konflux",
    values: {
      jobs: { couple: false, promote: true },
      promote: { parts: ["tests"], konfluxKinds: false, runnerRole: false },
    },
  },
];
