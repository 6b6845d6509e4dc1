import type { KubeObject } from "#kube";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { annotationIn, labelIn, mutatingPolicy, setLabel, validatingPolicy } from "./admission-policy.ts";
import { requesterVariables, mayInNamespace } from "./requester.ts";

const { author, automated, autoRelease, blockReleases, releasedSnapshot, releasePlan, standingAttribution } =
  promotionLabels;

const isAutomated = `${labelIn("object", automated)} == 'true'`;
const isStanding = `${labelIn("object", standingAttribution)} == 'true'`;
const given = labelIn("object", author);
const before = `(oldObject == null ? '' : ${labelIn("oldObject", author)})`;
/** Tenon makes the default plans of a namespace, for which the person answers who asked for them: see the policy of namespaces. */
const isOnboarder = `oldObject == null && ${given} == ${annotationIn("namespaceObject", promotionAnnotations.defaultPlanAuthor)} && ${mayInNamespace("attribute", "object.metadata.namespace")}`;

/** The policies that hold the authors of releases: without them, no release is attributed to an author who did not ask for it. */
export const authorPolicies = {
  release: "release-author.tenon.dev",
  plan: "release-plan-author.tenon.dev",
} as const;

/** Fill in labels; Kubernetes below 1.36 has no such policies, and users set the labels themselves. */
const filled: readonly KubeObject[] = [
  ...mutatingPolicy({
    name: authorPolicies.release,
    resource: "releases",
    operations: ["CREATE"],
    variables: requesterVariables,
    mutations: [
      setLabel(releasedSnapshot, "object.spec.snapshot", "has(object.spec.snapshot)"),
      setLabel(releasePlan, "object.spec.releasePlan", "has(object.spec.releasePlan)"),
      setLabel(author, "variables.requester", `!(${isAutomated})`),
    ],
  }),
  ...mutatingPolicy({
    name: authorPolicies.plan,
    resource: "releaseplans",
    operations: ["CREATE", "UPDATE"],
    variables: requesterVariables,
    mutations: [
      setLabel(autoRelease, "'true'", `${labelIn("object", autoRelease)} == ''`),
      setLabel(author, "variables.requester", `${isStanding} && ${given} == ''`),
      {
        patchType: "JSONPatch",
        jsonPatch: {
          expression: `!(${isStanding}) && has(object.metadata.labels) && '${author}' in object.metadata.labels ? [JSONPatch{op: 'remove', path: '/metadata/labels/' + jsonpatch.escapeKey('${author}')}] : []`,
        },
      },
    ],
  }),
  ...mutatingPolicy({
    name: "release-admission-labels.tenon.dev",
    resource: "releaseplanadmissions",
    operations: ["CREATE", "UPDATE"],
    mutations: [setLabel(blockReleases, "'false'", `${labelIn("object", blockReleases)} == ''`)],
  }),
];

/** Refuse what is forged; they see an object after it was filled in. */
const refused: readonly KubeObject[] = [
  ...validatingPolicy({
    name: authorPolicies.release,
    resource: "releases",
    operations: ["CREATE", "UPDATE"],
    variables: requesterVariables,
    validations: [
      {
        expression: `oldObject != null || (${isAutomated} ? ${given} == '' : ${given} == variables.requester)`,
        messageExpression: `'the label ${author} of a Release must be "' + variables.requester + '", which is you, and that of an automated one absent'`,
      },
      ...[author, automated, releasedSnapshot, releasePlan].map((label) => ({
        expression: `oldObject == null || ${labelIn("object", label)} == ${labelIn("oldObject", label)}`,
        message: `the label ${label} of a Release never changes`,
      })),
    ],
  }),
  ...validatingPolicy({
    name: authorPolicies.plan,
    resource: "releaseplans",
    operations: ["CREATE", "UPDATE"],
    variables: requesterVariables,
    validations: [
      {
        expression: `${given} == '' || (${isStanding} && (${given} == ${before} || ${given} == variables.requester || (${isOnboarder})))`,
        messageExpression: `'the label ${author} of a ReleasePlan can only be "' + variables.requester + '", which is you, and needs the label ${standingAttribution}: "true"'`,
      },
      {
        expression: `${labelIn("object", autoRelease)} in ['', 'true', 'false']`,
        message: `the label ${autoRelease} is "true" or "false"; an expression belongs into the annotation of that name`,
      },
    ],
  }),
  ...validatingPolicy({
    name: "release-admission-labels.tenon.dev",
    resource: "releaseplanadmissions",
    operations: ["CREATE", "UPDATE"],
    validations: [
      {
        expression: `${labelIn("object", blockReleases)} in ['', 'true', 'false']`,
        message: `the label ${blockReleases} is "true" or "false"`,
      },
    ],
  }),
];

/** Who answers for a release is set and kept at admission. */
export const releasePolicies: readonly KubeObject[] = [...refused, ...filled];
