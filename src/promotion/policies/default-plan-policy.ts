import type { KubeObject } from "#kube";
import { promotionAnnotations } from "../kinds/promotion-names.ts";
import { annotationIn, mutatingPolicy, validatingPolicy } from "./admission-policy.ts";
import { mayInNamespace, requesterVariables } from "./requester.ts";

const { defaultPlan, defaultPlanAuthor } = promotionAnnotations;
const name = "default-release-plan.tenon.dev";

const isChanged = [defaultPlan, defaultPlanAuthor]
  .map((annotation) => `${annotationIn("object", annotation)} != ${annotationIn("oldObject", annotation)}`)
  .join(" || ");

/** All other requests about namespaces pass without being looked at. */
const range = {
  name,
  apiGroup: "",
  resource: "namespaces",
  operations: ["CREATE", "UPDATE"],
  matchConditions: [
    { name: "has-default-plan", expression: `${annotationIn("object", defaultPlan)} != ''` },
    { name: "changes-default-plan", expression: `oldObject == null || ${isChanged}` },
  ],
  variables: requesterVariables,
} as const;

const author = annotationIn("object", defaultPlanAuthor);
const annotated = `Object{metadata: Object.metadata{annotations: {'${defaultPlanAuthor}': variables.requester}}}`;

/**
 * Tenon makes the plans that a namespace asks for with rights of its own. So the one who asks must be allowed to make them, and
 * answers for them.
 */
export const defaultPlanPolicy: readonly KubeObject[] = [
  ...mutatingPolicy({
    ...range,
    mutations: [
      {
        patchType: "ApplyConfiguration",
        applyConfiguration: { expression: `${author} == '' ? ${annotated} : Object{}` },
      },
    ],
  }),
  ...validatingPolicy({
    ...range,
    validations: [
      {
        expression: `${author} == variables.requester`,
        messageExpression: `'the annotation ${defaultPlanAuthor} must be "' + variables.requester + '", which is you: you answer for releases by the plan in ${defaultPlan}'`,
      },
      {
        expression: mayInNamespace("create", "object.metadata.name"),
        message: `the annotation ${defaultPlan} needs the right to create ReleasePlans in the namespace`,
      },
    ],
  }),
];
