/** Names of the resource driver, and on what it makes. */

/** The driver, as ResourceSlices, DeviceClasses and the kubelet know it. */
export const environmentDriver = "env.tenon.dev";

/** On a claim that the driver made for a ResourceClaim: the uid of that. */
export const resourceClaimLabel = "tenon.dev/resource-claim-uid";

/** On a TaskRun, or on its task or PipelineRun: the ResourceClaimTemplate that its pod gets a claim by. */
export const claimTemplateAnnotation = "tenon.dev/resource-claim-template";

/** The name of that claim within the pod. */
export const podClaimName = "environment";

/** Where a container finds the folder with its kubeconfig. */
export const environmentMount = "/run/tenon/environment";
