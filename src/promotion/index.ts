export { Propagation } from "./kinds/propagation.ts";
export { planPropagation, type PlanPropagationDeps, type StagePlan } from "./propagation/plan-propagation.ts";
