import { createHash } from "node:crypto";
import { InputError, isJsonList, isJsonObject, type JsonObject, type JsonValue } from "#base";
import type { KubeObject, OwnerReference } from "#kube";
import {
  annotations,
  apiVersion,
  apparatusLabels,
  describeObject,
  jsonObject,
  namespaceOf,
  type Plug,
  serviceAccountOf,
  type Socket,
} from "../../kinds/index.ts";

/** The name that a container port of every apparatus has. */
const portName = "container";

/**
 * Names for the Service and the pod, best first: a name that belongs to another owner is skipped. The last one is unique, and
 * serves objects whose names are not valid names of a Service.
 */
export function candidateNames({ kind, metadata: { name, uid = "" } }: Plug | Socket): readonly string[] {
  const names = [`${name}-apparatus`, `${name}-${kind.toLowerCase()}-apparatus`, `apparatus-${uid}`];
  return names.filter((each) => each.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(each));
}

export function serviceOf(object: Plug | Socket, name: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataOf(object, name, {}),
    spec: {
      type: "ClusterIP",
      selector: labelsOf(object, name),
      ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: portName }],
    },
  };
}

/** The pod as its author specified it, with safe defaults. */
export function podOf(object: Plug | Socket, name: string, now: number): KubeObject {
  const spec = podSpecOf(object);
  const own = {
    "sidecar.istio.io/inject": "false",
    [annotations.apparatusSpec]: hashOf(spec),
    [annotations.lastUsed]: new Date(now).toISOString(),
  };
  return { apiVersion: "v1", kind: "Pod", metadata: metadataOf(object, name, own), spec };
}

/** Identifies the pod spec, to detect a pod that was created from an older one. */
export function specHashOf(object: Plug | Socket): string {
  return hashOf(podSpecOf(object));
}

function podSpecOf(object: Plug | Socket): JsonObject {
  const { endpoint: _endpoint, idleTimeout: _idleTimeout, ...given } = jsonObject(object.spec.apparatus ?? {});
  const where = `${describeObject(object)} spec.apparatus`;
  const account = serviceAccountOf(object);
  for (const field of ["serviceAccountName", "serviceAccount"]) {
    if (given[field] === undefined || given[field] === account || given[field] === "") continue;
    throw new InputError(`expected service account ${account}, as which everything for this object is done`, {
      where: `${where}.${field}`,
      next: "remove it, or set spec.serviceAccountName",
    });
  }
  const containers = listOf(given["containers"]);
  if (!containers.some(({ ports }) => listOf(ports).some(({ name }) => name === portName))) {
    throw new InputError(`none of the containers has a port named ${portName}`, {
      where: `${where}.containers`,
      next: `name the port that the apparatus serves: ports: [{name: ${portName}, containerPort: 3000}]`,
    });
  }
  const { serviceAccount: _, initContainers, ...spec } = given;
  return {
    ...spec,
    serviceAccountName: account,
    containers: containers.map(hardened),
    ...(initContainers === undefined ? {} : { initContainers: listOf(initContainers).map(hardened) }),
    securityContext: {
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
      ...(isJsonObject(spec["securityContext"]) ? spec["securityContext"] : {}),
    },
  };
}

/** Settings that the API server refuses together with `allowPrivilegeEscalation: false` take precedence. */
function hardened(container: JsonObject): JsonObject {
  const given = isJsonObject(container["securityContext"]) ? container["securityContext"] : {};
  const capabilities = isJsonObject(given["capabilities"]) ? given["capabilities"] : {};
  const added = isJsonList(capabilities["add"]) ? capabilities["add"] : [];
  const isMighty = given["privileged"] === true || added.includes("SYS_ADMIN") || added.includes("CAP_SYS_ADMIN");
  const defaults = {
    ...(isMighty ? {} : { allowPrivilegeEscalation: false }),
    ...(given["privileged"] === true ? {} : { capabilities: { drop: ["ALL"] } }),
  };
  return { ...container, securityContext: { ...defaults, ...given } };
}

function metadataOf(
  object: Plug | Socket,
  name: string,
  own: Readonly<Record<string, string>>,
): KubeObject["metadata"] {
  return {
    name,
    namespace: namespaceOf(object),
    labels: labelsOf(object, name),
    ...(Object.keys(own).length === 0 ? {} : { annotations: own }),
    ownerReferences: [ownerOf(object)],
  };
}

function labelsOf({ metadata: { uid = "" } }: Plug | Socket, name: string): Record<string, string> {
  return { [apparatusLabels.name]: name, [apparatusLabels.uid]: uid };
}

function ownerOf({ kind, metadata: { name, uid = "" } }: Plug | Socket): OwnerReference {
  return { apiVersion, kind, name, uid };
}

/** Whether an object belongs to this owner. */
export function isOwnedBy({ metadata: { ownerReferences = [] } }: KubeObject, { metadata }: Plug | Socket): boolean {
  return ownerReferences.some(({ uid }) => uid === metadata.uid);
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}

function hashOf(spec: JsonObject): string {
  return createHash("sha256").update(JSON.stringify(spec)).digest("hex").slice(0, 16);
}
