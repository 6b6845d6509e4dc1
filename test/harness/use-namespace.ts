import { afterAll, beforeAll } from "vitest";
import { type TestApi, connectTestApi } from "./test-api.ts";
import { testKubeconfig } from "./test-kubeconfig.ts";

export interface TestNamespace {
  readonly api: TestApi;
  readonly namespace: string;
}

/** Gives the test file the run's API server and a namespace of its own, deleted at the end. Call it at the top level. */
export function useNamespace(): TestNamespace {
  const api = connectTestApi(testKubeconfig());
  const namespace = `test-${crypto.randomUUID().slice(0, 8)}`;
  beforeAll(async () => {
    const made = await api.call("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    if (made.status !== 201) throw new Error(`namespace ${namespace}: ${JSON.stringify(made.body)}`);
  });
  afterAll(async () => {
    await api.call("DELETE", `/api/v1/namespaces/${namespace}`);
    await api[Symbol.asyncDispose]();
  });
  return { api, namespace };
}
