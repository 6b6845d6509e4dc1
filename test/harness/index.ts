export { type Api, type ApiAnswer, connect } from "./api.ts";
export { type Footprint, footprint } from "./footprint.ts";
export { restrictTo, type Right } from "./restrict-to.ts";
export { testKubeconfig } from "./test-kubeconfig.ts";
export { temporaryHome } from "./temporary-home.ts";
export { manage, type Managed, never, useManaged, writesIn } from "./use-managed.ts";
export { useNamespace, type World } from "./use-namespace.ts";
export { configMapTemplate, type CoupledWorld, useCoupling } from "./use-coupling.ts";
