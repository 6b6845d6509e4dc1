import type { KubeObject } from "#kube";

/** A plug or socket as a cluster stores it. */
export function sampleCoupled(
  kind: "Plug" | "Socket",
  key: string,
  {
    spec = {},
    status,
    metadata = {},
  }: { readonly spec?: object; readonly status?: object; readonly metadata?: object },
): KubeObject {
  const [namespace = "", name = ""] = key.split("/");
  return {
    apiVersion: "integration.rock8s.com/v1beta1",
    kind,
    metadata: { namespace, name, uid: `uid-${key}`, creationTimestamp: "2026-01-01T00:00:00Z", ...metadata },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

/** A status whose condition `Coupled` has this reason. */
export function coupledStatus(phase: string, reason: string, message = reason): object {
  const status = reason === "CouplingSucceeded" || reason === "SocketCoupled" ? "True" : "False";
  return {
    phase,
    conditions: [{ type: "Coupled", status, reason, message, lastTransitionTime: "2026-01-01T00:00:05Z" }],
  };
}
