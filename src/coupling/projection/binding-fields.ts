import { createHash } from "node:crypto";
import { posix } from "node:path";
import { InputError, isJsonList, isJsonObject, isRecord, type JsonObject, type JsonValue, valueAt } from "#base";
import { describeRef, type KubeObject, refOf } from "#kube";
import { group, jsonObject, type Workload } from "../kinds/index.ts";

/** A binding that workloads get. */
export interface Binding {
  readonly plugName: string;
  /** The Secret with the results. */
  readonly secretName: string;
  /** The keys of the Secret. */
  readonly keys: readonly string[];
  readonly workload: Workload;
  /** Of the shape of the fields and the content of the Secret. */
  readonly fingerprint: (shape: JsonValue) => string;
}

/** What Tenon applies to a workload: nothing but the binding. */
export interface BindingFields {
  readonly object: KubeObject;
  /** Changes with the binding, and with it the pod template, so that the pods restart. */
  readonly hash: string;
}

const rootVariable = "SERVICE_BINDING_ROOT";
export const defaultMountPath = "/bindings";

/**
 * The field manager of one plug's binding. A plug that is created again under its name takes over what the last one left behind;
 * two plugs that project into one workload do not remove each other's fields.
 */
export function bindingManager(plugName: string): string {
  return `tenon-binding-${shortName(plugName, 100)}`;
}

export function bindingAnnotation(plugName: string): string {
  return `${group}/binding-${shortName(plugName, 50)}`;
}

/** A long name is cut, with a hash of all of it; a volume's name must have no dots. */
function shortName(name: string, longest: number): string {
  const plain = name.replaceAll(".", "-");
  if (plain === name && name.length <= longest) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${plain.slice(0, longest - hash.length - 1)}-${hash}`;
}

/** The fields that mount a binding in a live workload. Throws an InputError that names the field of the plug. */
export function bindingFields(live: KubeObject, binding: Binding): BindingFields {
  const { plugName, secretName, workload } = binding;
  checkKeys(binding);
  const path = templatePath(live.kind);
  const volume = `binding-${shortName(plugName, 50)}`;
  const chosen = (list: ContainerList): JsonObject[] =>
    containersOf(live, list)
      .filter(({ name }) => workload.containers?.includes(name) ?? true)
      .map((container) => containerFields(container, live, [...path, "spec", list], volume, binding));
  const [containers, initContainers] = [chosen("containers"), chosen("initContainers")];
  checkContainers(live, workload);
  const pod = {
    volumes: [{ name: volume, secret: { secretName } }],
    containers,
    ...(initContainers.length === 0 ? {} : { initContainers }),
  };
  const hash = binding.fingerprint(pod);
  const template = { metadata: { annotations: { [bindingAnnotation(plugName)]: hash } }, spec: pod };
  const spec = path.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), template);
  return { object: { ...withoutBinding(live), ...spec }, hash };
}

/** No fields at all: to apply it takes ours back. With the uid, a workload that was deleted in between is not created. */
export function withoutBinding({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace = "", uid = "" } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid } };
}

export function hasManager({ metadata: { managedFields = [] } }: KubeObject, manager: string): boolean {
  return managedFields.some((entry) => entry.manager === manager);
}

/** Whether a workload has all these fields. */
export function isMounted(live: KubeObject, { object }: BindingFields): boolean {
  const [root = ""] = templatePath(live.kind);
  return holds(jsonObject(live)[root], jsonObject(object)[root] ?? null);
}

function holds(live: JsonValue | undefined, wanted: JsonValue): boolean {
  if (isJsonList(wanted)) {
    return (
      isJsonList(live) && wanted.every((item) => live.some((other) => isNamesake(other, item) && holds(other, item)))
    );
  }
  if (!isJsonObject(wanted)) return live === wanted;
  return isJsonObject(live) && Object.entries(wanted).every(([key, value]) => holds(live[key], value));
}

function isNamesake(one: JsonValue, other: JsonValue): boolean {
  return listKey(one) === listKey(other);
}

/** As the API server merges such lists: mounts by their path, everything else by its name. */
function listKey(item: JsonValue): unknown {
  return valueAt(item, ["mountPath"]) ?? valueAt(item, ["name"]);
}

function templatePath(kind: string): readonly string[] {
  return kind === "CronJob" ? ["spec", "jobTemplate", "spec", "template"] : ["spec", "template"];
}

type ContainerList = "containers" | "initContainers";

interface LiveContainer {
  readonly name: string;
  readonly env: readonly unknown[];
}

function containersOf(live: KubeObject, list: ContainerList): LiveContainer[] {
  const found = valueAt(live, [...templatePath(live.kind), "spec", list]);
  return (Array.isArray(found) ? found : []).filter(isRecord).map(({ name, env }) => ({
    name: String(name),
    env: Array.isArray(env) ? env : [],
  }));
}

function containerFields(
  container: LiveContainer,
  live: KubeObject,
  listPath: readonly string[],
  volume: string,
  { plugName, secretName, workload }: Binding,
): JsonObject {
  const { mountPath = defaultMountPath, env = [] } = workload;
  const own = ownRoot(container, live, listPath, { plugName, mountPath });
  const mapped = env.map(({ name, key }) => ({ name, valueFrom: { secretKeyRef: { name: secretName, key } } }));
  for (const [index, { name }] of mapped.entries()) {
    const [owner] = managersOf(name, container, live, listPath, plugName);
    const isSame = container.env.some((each) => isRecord(each) && holds(jsonObject(each), mapped[index] ?? null));
    if (owner === undefined || isSame) continue;
    throw new InputError(`container ${container.name} of ${describeRef(refOf(live))} has ${name} from ${owner}`, {
      where: `spec.workload.env[${index}].name`,
      next: "remove it there, or leave it out here",
    });
  }
  return {
    name: container.name,
    volumeMounts: [{ name: volume, mountPath: posix.join(own ?? mountPath, plugName), readOnly: true }],
    env: [...(own === undefined ? [{ name: rootVariable, value: mountPath }] : []), ...mapped],
  };
}

/** The root that the author of the workload has set, if it is not what we would set. */
function ownRoot(
  { name, env }: LiveContainer,
  live: KubeObject,
  listPath: readonly string[],
  { plugName, mountPath }: { readonly plugName: string; readonly mountPath: string },
): string | undefined {
  const variable = env.find((each) => valueAt(each, ["name"]) === rootVariable);
  if (variable === undefined) return undefined;
  const value = valueAt(variable, ["value"]);
  if (value === mountPath) return undefined;
  const owners = managersOf(rootVariable, { name, env }, live, listPath, plugName);
  if (owners.length === 0) return undefined; // we set it, before mountPath was changed
  if (typeof value === "string" && value.startsWith("/")) return value;
  throw new InputError(`container ${name} of ${describeRef(refOf(live))} sets ${rootVariable} to no absolute path`, {
    where: "spec.workload",
    next: `correct or remove the variable in the ${live.kind}`,
  });
}

/** Who else has set a variable of a container. */
function managersOf(
  variable: string,
  { name }: LiveContainer,
  { metadata: { managedFields = [] } }: KubeObject,
  listPath: readonly string[],
  plugName: string,
): string[] {
  const fields = [...listPath.map((key) => `f:${key}`), keyed(name), "f:env", keyed(variable)];
  const own = bindingManager(plugName);
  return managedFields
    .filter((entry) => entry.manager !== own && valueAt(entry, ["fieldsV1", ...fields]) !== undefined)
    .map(({ manager = "another manager" }) => manager);
}

function keyed(name: string): string {
  return `k:${JSON.stringify({ name })}`;
}

function checkKeys({ keys, workload: { env = [] } }: Binding): void {
  for (const [index, { key }] of env.entries()) {
    if (keys.includes(key)) continue;
    throw new InputError(`the binding has no key ${key}`, {
      where: `spec.workload.env[${index}].key`,
      next: `use one of ${keys.toSorted().join(", ")}`,
    });
  }
}

function checkContainers(live: KubeObject, { containers = [] }: Workload): void {
  const names = (["containers", "initContainers"] as const).flatMap((list) => containersOf(live, list));
  for (const [index, name] of containers.entries()) {
    if (names.some((container) => container.name === name)) continue;
    throw new InputError(`${describeRef(refOf(live))} has no container ${name}`, {
      where: `spec.workload.containers[${index}]`,
      next: `use one of ${names.map((container) => container.name).join(", ")}`,
    });
  }
}
