import type { KubeRequest } from "./request.ts";
import { requestAttributes } from "./request-attributes.ts";

/** Which user may not do what, and the role that would allow it. */
export interface Forbidden {
  /** Undefined when the server did not say. */
  readonly user?: string;
  readonly verb: string;
  /** With its subresource; or the path, for requests without a resource. */
  readonly resource: string;
  readonly group: string;
  readonly namespace?: string;
  readonly name?: string;
  /** A role and, when the user is known, its binding, as YAML for `kubectl apply -f -`. */
  readonly manifests: string;
}

interface Denied {
  readonly user?: string | undefined;
  readonly verb: string;
  readonly group: string;
  readonly resource?: string | undefined;
  readonly path?: string | undefined;
  readonly namespace?: string | undefined;
}

/**
 * The rights that a request lacks which was answered with 403 and this message.
 * Undefined if no role would help: admission and quotas answer with 403, too.
 */
export function explainForbidden(message: string, request: KubeRequest): Forbidden | undefined {
  const attributes = requestAttributes(request);
  const denied: Denied | undefined = readDenied(message) ?? (saysNothing(message) ? attributes : undefined);
  if (denied === undefined) return undefined;
  const { user, verb, group, resource = denied.path, namespace } = denied;
  if (resource === undefined) return undefined;
  const name = attributes !== undefined && attributes.resource === resource ? attributes.name : undefined;
  return {
    ...(user === undefined ? {} : { user }),
    verb,
    resource,
    group,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    manifests: writeManifests(denied, verbsNeeded(verb, request), name),
  };
}

const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const denial = new RegExp(
  String.raw`User (?<user>${quoted}) cannot (?<verb>\S+) (?:resource (?<resource>${quoted}) in API group (?<group>${quoted}) (?:in the namespace (?<namespace>${quoted})|at the cluster scope)|path (?<path>${quoted}))`,
);

/** The message of every authorizer's denial: https://github.com/kubernetes/apiserver/blob/v0.37.1/pkg/endpoints/handlers/responsewriters/errors.go */
function readDenied(message: string): Denied | undefined {
  const { user, verb, resource, group, namespace, path } = denial.exec(message)?.groups ?? {};
  if (verb === undefined) return undefined;
  return {
    user: unquote(user),
    verb,
    group: unquote(group) ?? "",
    resource: unquote(resource),
    path: unquote(path),
    namespace: unquote(namespace),
  };
}

/** Go's %q is JSON for all that a name can hold. */
function unquote(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

function saysNothing(message: string): boolean {
  return /^(forbidden|unknown)?$/i.test(message.trim());
}

/** Server-side apply of an object that does not exist yet is authorized as `patch`, and then as `create`. */
function verbsNeeded(verb: string, { contentType = "" }: KubeRequest): readonly string[] {
  return verb === "patch" && contentType.startsWith("application/apply-patch") ? ["patch", "create"] : [verb];
}

function writeManifests(denied: Denied, verbs: readonly string[], name: string | undefined): string {
  const { user, namespace } = denied;
  const prefix = namespace === undefined ? "Cluster" : "";
  const roleName = nameFor(denied, verbs);
  const role = [...header(`${prefix}Role`, roleName, namespace), "rules:", ...rule(denied, verbs, name)];
  if (user === undefined) return role.join("\n");
  const binding = [
    ...header(`${prefix}RoleBinding`, `${roleName}:${user.replaceAll(/[/%]/g, "-")}`, namespace),
    "roleRef:",
    "  apiGroup: rbac.authorization.k8s.io",
    `  kind: ${prefix}Role`,
    `  name: ${JSON.stringify(roleName)}`,
    "subjects:",
    ...subject(user),
  ];
  return [...role, "---", ...binding].join("\n");
}

/** The same name for the same rights, with a prefix that avoids collisions. RBAC allows all but `/` and `%` in names. */
function nameFor({ group, resource, path = "" }: Denied, verbs: readonly string[]): string {
  const what = resource === undefined ? path : `${resource}${group === "" ? "" : `.${group}`}`;
  return `tenon:${verbs.join("-")}-${what.replaceAll(/[/%]/g, "-")}`;
}

function header(kind: string, name: string, namespace: string | undefined): string[] {
  return [
    "apiVersion: rbac.authorization.k8s.io/v1",
    `kind: ${kind}`,
    "metadata:",
    `  name: ${JSON.stringify(name)}`,
    ...(namespace === undefined ? [] : [`  namespace: ${JSON.stringify(namespace)}`]),
  ];
}

function rule({ group, resource, path }: Denied, verbs: readonly string[], name: string | undefined): string[] {
  const list = verbs.map((verb) => JSON.stringify(verb)).join(", ");
  if (resource === undefined) return [`  - nonResourceURLs: [${JSON.stringify(path)}]`, `    verbs: [${list}]`];
  const canNarrow = name !== undefined && !verbs.includes("create");
  return [
    `  - apiGroups: [${JSON.stringify(group)}]`,
    `    resources: [${JSON.stringify(resource)}]`,
    ...(canNarrow ? [`    # resourceNames: [${JSON.stringify(name)}]  would narrow it to this one`] : []),
    `    verbs: [${list}]`,
  ];
}

function subject(user: string): string[] {
  const { namespace, name } = /^system:serviceaccount:(?<namespace>[^:]+):(?<name>[^:]+)$/.exec(user)?.groups ?? {};
  if (namespace === undefined) {
    return ["  - kind: User", "    apiGroup: rbac.authorization.k8s.io", `    name: ${JSON.stringify(user)}`];
  }
  return [
    "  - kind: ServiceAccount",
    `    name: ${JSON.stringify(name)}`,
    `    namespace: ${JSON.stringify(namespace)}`,
  ];
}
