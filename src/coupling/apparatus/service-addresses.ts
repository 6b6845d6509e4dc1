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
 * What the name of a Service stands for, as the API server knows it: its own addresses, or those of its pods. DNS is not asked.
 * It follows ExternalName, by which whoever may make a Service leads us to any host that we can reach, and goes on to say so for
 * a while after the Service has become another one.
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
  const plain = host.toLowerCase().replace(/\.+$/, "");
  const short = plain.endsWith(`.svc.${clusterDomain}`) ? plain.slice(0, -clusterDomain.length - 1) : plain;
  const labels = short.split(".");
  const [namespace = "", name = "", pod] = labels.toReversed().slice(1);
  const isName = labels.at(-1) === "svc" && (labels.length === 3 || labels.length === 4);
  return isName && labels.every((label) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(label))
    ? { namespace, name, pod }
    : undefined;
}

/** As in DNS: a pod that is not ready has no address, unless the Service publishes those, too, and then it is told as ready. */
function podAddresses(slice: KubeObject, pod: string | undefined): LookupAddress[] {
  return listOf(slice["endpoints"])
    .filter(isRecord)
    .filter((endpoint) => valueAt(endpoint, ["conditions", "ready"]) !== false)
    .filter(({ hostname }) => pod === undefined || hostname === pod)
    .flatMap(({ addresses }) => addressesIn(addresses));
}

/** A Service without an address of its own has `None` in place of one. */
function addressesIn(list: unknown): LookupAddress[] {
  return listOf(list).flatMap((address) => {
    const family = typeof address === "string" ? isIP(address) : 0;
    return typeof address === "string" && family !== 0 ? [{ address, family }] : [];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Without what it is another name for: who sees the plug may not be who may read the Service. */
function leadsElsewhere({ namespace, name }: ServiceName, host: string): EgressError {
  const what = "is of type ExternalName, which can point to any host, and is not called";
  return new EgressError(`Service ${namespace}/${name} ${what}`, {
    where: host,
    next: `use a Service with pods, or ask the administrator of Tenon for --apparatus-endpoint-allow ${host}`,
  });
}
