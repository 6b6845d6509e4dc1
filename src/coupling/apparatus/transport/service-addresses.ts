import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { isRecord, valueAt } from "#base";
import type { KubeClient, KubeObject } from "#kube";
import { NoAnswerError } from "./apparatus-request.ts";
import { EgressError, type Resolve } from "./egress.ts";

interface ServiceName {
  readonly namespace: string;
  readonly name: string;
  /** One of its pods, by hostname. */
  readonly pod: string | undefined;
}

/**
 * Resolves the name of a Service by the API server: its own addresses, or those of its pods. DNS is not used: it follows
 * ExternalName, with which an author of Services could direct us to any host that we can reach, and it caches that after the
 * Service has changed.
 */
export function serviceAddresses(client: Pick<KubeClient, "find" | "list">, clusterDomain: string): Resolve {
  return async (host) => {
    const found = parseHost(host, clusterDomain);
    if (!found) throw new NoAnswerError("host not found", false);
    const { namespace, name, pod } = found;
    const service = await client.find({ apiVersion: "v1", kind: "Service", namespace, name });
    if (!service) throw new NoAnswerError(`Service ${namespace}/${name} not found`, false);
    if (valueAt(service, ["spec", "type"]) === "ExternalName") throw leadsElsewhere(found, host);
    const own = pod === undefined ? addressesIn(valueAt(service, ["spec", "clusterIPs"])) : [];
    if (own.length > 0) return own;
    const { items } = await client.list({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
    });
    const ofPods = items.flatMap((slice) => podAddresses(slice, pod));
    if (ofPods.length === 0) throw new NoAnswerError(`Service ${namespace}/${name} has no ready pod`, false);
    return ofPods;
  };
}

/** `name.namespace.svc`, `pod.name.namespace.svc`, and both below the domain of the cluster. */
function parseHost(host: string, clusterDomain: string): ServiceName | undefined {
  const plain = host.toLowerCase().replace(/(?<!\.)\.+$/, "");
  const short = plain.endsWith(`.svc.${clusterDomain}`) ? plain.slice(0, -clusterDomain.length - 1) : plain;
  const labels = short.split(".");
  const [namespace = "", name = "", pod] = labels.toReversed().slice(1);
  const isName = labels.at(-1) === "svc" && (labels.length === 3 || labels.length === 4);
  return isName && labels.every((label) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(label))
    ? { namespace, name, pod }
    : undefined;
}

/** As in DNS: a pod that is not ready has no address, unless the Service publishes such pods, which are then reported as ready. */
function podAddresses(slice: KubeObject, pod: string | undefined): LookupAddress[] {
  return listOf(slice["endpoints"])
    .filter(isRecord)
    .filter((endpoint) => valueAt(endpoint, ["conditions", "ready"]) !== false)
    .filter(({ hostname }) => pod === undefined || hostname === pod)
    .flatMap(({ addresses }) => addressesIn(addresses));
}

/** A headless Service has `None` instead of an address. */
function addressesIn(list: unknown): LookupAddress[] {
  return listOf(list).flatMap((address) => {
    const family = typeof address === "string" ? isIP(address) : 0;
    return typeof address === "string" && family !== 0 ? [{ address, family }] : [];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Without the external name: users who see the plug may not be allowed to read the Service. */
function leadsElsewhere({ namespace, name }: ServiceName, host: string): EgressError {
  const what = "is of type ExternalName, which can point to any host, and is not called";
  return new EgressError(`Service ${namespace}/${name} ${what}`, {
    where: host,
    next: `use a Service with pods, or ask the administrator of Tenon for --apparatus-endpoint-allow ${host}`,
  });
}
