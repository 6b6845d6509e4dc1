export { type TestApi, type ApiAnswer, connectTestApi } from "./test-api.ts";
export { type Footprint, footprint } from "./footprint.ts";
export { clientWithRights, type NamespaceRight } from "./client-with-rights.ts";
export { testKubeconfig } from "./test-kubeconfig.ts";
export { temporaryHome } from "./temporary-home.ts";
export { manage, type Managed, never, useManaged, writesIn } from "./use-managed.ts";
export { useNamespace, type TestNamespace } from "./use-namespace.ts";
export { configMapTemplate, type CoupledWorld, useCoupling } from "./use-coupling.ts";
