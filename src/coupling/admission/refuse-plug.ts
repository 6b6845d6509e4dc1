import { formatFieldPath, InputError } from "#base";
import { matchesWhole } from "#golang";
import {
  describeObject,
  type LabelSelector,
  namespaceOf,
  type Plug,
  type PlugReason,
  serviceAccountOf,
  sides,
  type Socket,
} from "../kinds/index.ts";
import { findMistake } from "../sources/apply-interface.ts";

/** Why a socket does not admit a plug. */
export interface PlugRefusal {
  readonly reason: Extract<PlugReason, "NamespaceNotAllowed" | "InterfaceMismatch" | "LimitReached">;
  /** A sentence that says what to do. */
  readonly message: string;
}

export interface AdmissionContext {
  /** Of the plug's namespace; while they are unknown, no selector matches, not even one for the absence of a label. */
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined;
  /** Live plugs that are coupled to the socket or have a place reserved, without this one. */
  readonly otherPlugs: number;
}

/** Undefined: the socket admits the plug. The limit comes last, so that a plug that is refused anyway takes no place. */
export function refusePlug(
  plug: Plug,
  socket: Socket,
  { namespaceLabels, otherPlugs }: AdmissionContext,
): PlugRefusal | undefined {
  return (
    refuseNamespace(namespaceOf(plug), socket) ??
    refuseWithoutGrant(plug, socket, namespaceLabels) ??
    refuseInterface(plug, socket) ??
    refuseBeyondLimit(socket, otherPlugs)
  );
}

/** An invalid expression in either list refuses every plug. */
function refuseNamespace(namespace: string, socket: Socket): PlugRefusal | undefined {
  const { namespaceBlacklist: blacklist = [], namespaceWhitelist: whitelist = [] } = socket.spec.validation ?? {};
  try {
    const [isBlack, isWhite] = [blacklist, whitelist].map((list) =>
      list.map((expression) => matchesWhole(expression, namespace)).includes(true),
    );
    if (isBlack) return notAllowed(`namespace ${namespace} is blacklisted`);
    return whitelist.length === 0 || isWhite ? undefined : notAllowed(`namespace ${namespace} is not whitelisted`);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return notAllowed(`${describeObject(socket)} admits no plug until its spec.validation is corrected: ${error.what}`);
  }
}

function refuseWithoutGrant(
  plug: Plug,
  socket: Socket,
  namespaceLabels: AdmissionContext["namespaceLabels"],
): PlugRefusal | undefined {
  const { namespaces = "All", selector, serviceAccounts } = socket.spec.allowedPlugs ?? {};
  const namespace = namespaceOf(plug);
  const isIn = {
    All: true,
    Same: namespace === namespaceOf(socket),
    Selector: selector !== undefined && namespaceLabels !== undefined && matchesSelector(selector, namespaceLabels),
  };
  const next = `the owner of ${describeObject(socket)} can allow it in spec.allowedPlugs`;
  if (!isIn[namespaces]) return notAllowed(`namespace ${namespace} is not allowed; ${next}`);
  const account = serviceAccountOf(plug);
  if (!serviceAccounts || [account, `${namespace}/${account}`].some((name) => serviceAccounts.includes(name))) {
    return undefined;
  }
  return notAllowed(`service account ${namespace}/${account} is not allowed; ${next}`);
}

function refuseInterface(plug: Plug, socket: Socket): PlugRefusal | undefined {
  const expected = plug.spec.interfaceName ?? "";
  const offered = socket.spec.interface?.name ?? "";
  if (expected === "" || offered === "" || expected === offered) return undefined;
  return {
    reason: "InterfaceMismatch",
    message: `the plug expects interface ${expected}, and ${describeObject(socket)} offers ${offered}; choose a socket that offers ${expected}`,
  };
}

function refuseBeyondLimit({ spec: { limit = 0 } }: Socket, otherPlugs: number): PlugRefusal | undefined {
  if (limit === 0 || otherPlugs < limit) return undefined;
  return {
    reason: "LimitReached",
    message: `the socket's limit of ${limit} is reached, with ${otherPlugs} plugs; one must leave first`,
  };
}

function notAllowed(message: string): PlugRefusal {
  return { reason: "NamespaceNotAllowed", message };
}

/** As Kubernetes matches: every requirement must hold, and `{}` matches everything. */
function matchesSelector(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  const valueOf = (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  return (
    Object.entries(matchLabels).every(([key, value]) => valueOf(key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = valueOf(key);
      const isListed = value !== undefined && values.includes(value);
      const isSo = { In: isListed, NotIn: !isListed, Exists: value !== undefined, DoesNotExist: value === undefined };
      return isSo[operator];
    })
  );
}

/**
 * What the owner of a socket must correct before a plug can couple, as far as the API server does not validate it: invalid
 * expressions, and defaults that do not match their own property.
 */
export function examineSocket(socket: Socket): InputError | undefined {
  const [first, ...others] = [...expressionProblems(socket), ...propertyProblems(socket)].toSorted();
  if (first === undefined) return undefined;
  return new InputError([first, ...others].join("; "), {
    where: describeObject(socket),
    next: "correct it; until then no plug is admitted",
  });
}

function* expressionProblems({ spec: { validation = {} } }: Socket): Iterable<string> {
  for (const field of ["namespaceBlacklist", "namespaceWhitelist"] as const) {
    for (const [index, expression] of (validation[field] ?? []).entries()) {
      const problem = expressionProblem(expression);
      if (problem !== undefined) yield `spec.validation.${field}[${index}]: ${problem}`;
    }
  }
}

function* propertyProblems({ spec }: Socket): Iterable<string> {
  for (const part of ["config", "result"] as const) {
    for (const side of sides) {
      for (const [key, property] of Object.entries(spec.interface?.[part]?.[side] ?? {})) {
        const { pattern, default: text = "" } = property ?? {};
        const place = formatFieldPath(["spec", "interface", part, side, key]);
        const problem = pattern === undefined ? undefined : expressionProblem(pattern);
        if (problem !== undefined) yield `${place}.pattern: ${problem}`;
        const mistake = property && problem === undefined && text !== "" ? findMistake(text, property) : undefined;
        if (mistake !== undefined) yield `${place}.default ${mistake}`;
      }
    }
  }
}

function expressionProblem(expression: string): string | undefined {
  try {
    matchesWhole(expression, "");
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error.what;
    throw error;
  }
}
