import type { KubeObject } from "#kube";
import { claimTemplateAnnotation, podClaimName } from "../driver/driver-names.ts";
import { mutatingPolicy } from "./admission-policy.ts";

const containers = "Object.spec.containers";
const claims = `${containers}.resources{claims: [${containers}.resources.claims{name: '${podClaimName}'}]}`;
const template = `object.metadata.annotations['${claimTemplateAnnotation}']`;

/**
 * Gives the pod of a TaskRun a resource claim by the template that an annotation names, and all steps its devices: what Tekton
 * lets one say about a pod has no resource claims. Annotations of a PipelineRun, task or TaskRun are those of the pod too.
 */
export const taskRunClaimPolicy: readonly KubeObject[] = mutatingPolicy({
  name: "taskrun-resource-claims.tenon.dev",
  apiGroup: "",
  resource: "pods",
  operations: ["CREATE"],
  matchConditions: [
    {
      name: "taskrun",
      expression: "has(object.metadata.labels) && 'tekton.dev/taskRun' in object.metadata.labels",
    },
    {
      name: "annotation",
      expression: `has(object.metadata.annotations) && '${claimTemplateAnnotation}' in object.metadata.annotations`,
    },
  ],
  mutations: [
    {
      patchType: "ApplyConfiguration",
      applyConfiguration: {
        expression: `Object{spec: Object.spec{resourceClaims: [Object.spec.resourceClaims{name: '${podClaimName}', resourceClaimTemplateName: ${template}}], containers: object.spec.containers.map(container, ${containers}{name: container.name, resources: ${claims}})}}`,
      },
    },
  ],
});
