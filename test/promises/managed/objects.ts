import type { JsonObject } from "#base";

export function configMap(name: string, data: JsonObject = { a: "1" }, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

export function secret(name: string, stringData: JsonObject): JsonObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData };
}

export function service(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ name: "http", port: 80 }], ...spec },
  };
}

/** With the forms that the API server writes otherwise: an amount, a default, an empty value. */
export function deployment(
  name: string,
  labels: JsonObject = { app: name },
  image = "example.invalid/app:1",
): JsonObject {
  const container = {
    name: "main",
    image,
    env: [
      { name: "EMPTY", value: "" },
      { name: "B", value: "1" },
    ],
    resources: { requests: { cpu: "1000m", memory: "1024Mi" }, limits: { cpu: 2 } },
    ports: [{ containerPort: 8080 }],
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container], terminationGracePeriodSeconds: 0 } },
    },
  };
}

/** One of each kind that `keep-namespace` manages. */
export function oneOfEach(): JsonObject[] {
  return [configMap("settings"), secret("key", { password: "hunter22" }), service("web"), deployment("app")];
}

export const allKinds = ["ConfigMap", "Secret", "Service", "Deployment"];
