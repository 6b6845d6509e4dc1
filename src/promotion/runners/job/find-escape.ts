import { isRecord } from "#base";
import { runnerAccount } from "../test-runner.ts";

type Fields = Readonly<Record<string, unknown>>;
type Escape = string | undefined;

const hostFields = ["hostNetwork", "hostPID", "hostIPC", "serviceAccount", "nodeName", "priorityClassName"] as const;
const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;
const probes = [
  ["livenessProbe"],
  ["readinessProbe"],
  ["startupProbe"],
  ["lifecycle", "postStart"],
  ["lifecycle", "preStop"],
];
const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/";
const seLinuxTypes: ReadonlySet<unknown> = new Set([
  "container_t",
  "container_init_t",
  "container_kvm_t",
  "container_engine_t",
]);
/** They change nothing outside the pod. */
const safeSysctls: ReadonlySet<unknown> = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
]);

/**
 * The field of a pod template that the baseline of
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/ forbids; besides, all added capabilities, and what
 * chooses another account or node, or jumps the queue.
 */
export function findEscape(template: Fields): Escape {
  const annotations = Object.entries(record(record(template["metadata"])["annotations"]));
  const unconfined = annotations.find(([name, value]) => name.startsWith(appArmorAnnotation) && value === "unconfined");
  if (unconfined) return `metadata.annotations[${unconfined[0]}]`;
  const found = findInPod(record(template["spec"]));
  return found === undefined ? undefined : `spec.${found}`;
}

function findInPod(pod: Fields): Escape {
  const host = hostFields.find((field) => pod[field] !== undefined && pod[field] !== false);
  if (host !== undefined) return host;
  if (pod["serviceAccountName"] !== undefined && pod["serviceAccountName"] !== runnerAccount)
    return "serviceAccountName";
  const volume = records(pod["volumes"]).findIndex((one) => one["hostPath"] !== undefined);
  if (volume !== -1) return `volumes[${volume}].hostPath`;
  const context = record(pod["securityContext"]);
  if (records(context["sysctls"]).some(({ name }) => !safeSysctls.has(name))) return "securityContext.sysctls";
  const inContext = findInContext(context);
  if (inContext !== undefined) return `securityContext.${inContext}`;
  for (const list of containerLists) {
    for (const [index, container] of records(pod[list]).entries()) {
      const inContainer = findInContainer(container);
      if (inContainer !== undefined) return `${list}[${index}].${inContainer}`;
    }
  }
  return undefined;
}

function findInContainer(container: Fields): Escape {
  const context = record(container["securityContext"]);
  const { add } = record(context["capabilities"]);
  if (context["privileged"] === true) return "securityContext.privileged";
  if (Array.isArray(add) && add.length > 0) return "securityContext.capabilities.add";
  if (context["procMount"] !== undefined && context["procMount"] !== "Default") return "securityContext.procMount";
  if (records(container["ports"]).some((port) => port["hostPort"] !== undefined && port["hostPort"] !== 0))
    return "ports.hostPort";
  const inContext = findInContext(context);
  if (inContext !== undefined) return `securityContext.${inContext}`;
  // The kubelet asks, from the network of the node.
  for (const path of probes) {
    const probe = path.reduce((value, field) => record(value[field]), container);
    const action = ["httpGet", "tcpSocket"].find((name) => record(probe[name])["host"] !== undefined);
    if (action !== undefined) return [...path, action, "host"].join(".");
  }
  return undefined;
}

/** What pods and containers have in common. */
function findInContext(context: Fields): Escape {
  if (record(context["windowsOptions"])["hostProcess"] === true) return "windowsOptions.hostProcess";
  for (const profile of ["seccompProfile", "appArmorProfile"]) {
    if (record(context[profile])["type"] === "Unconfined") return `${profile}.type`;
  }
  const { user, role, type } = record(context["seLinuxOptions"]);
  if (user !== undefined) return "seLinuxOptions.user";
  if (role !== undefined) return "seLinuxOptions.role";
  return type === undefined || seLinuxTypes.has(type) ? undefined : "seLinuxOptions.type";
}

function record(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function records(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
