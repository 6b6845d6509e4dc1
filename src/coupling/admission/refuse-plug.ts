import { InputError } from "#base";
import { matchesWhole } from "#golang";
import type { PlugReason } from "../kinds/conditions.ts";
import { describeObject, namespaceOf, serviceAccountOf } from "../kinds/pair.ts";
import type { Plug } from "../kinds/plug.ts";
import type { Socket } from "../kinds/socket.ts";
import { matchesSelector } from "./matches-selector.ts";

/** Why a socket does not take a plug. */
export interface Refusal {
  readonly reason: Extract<PlugReason, "NamespaceNotAllowed" | "InterfaceMismatch" | "LimitReached">;
  /** For people, with what to do. */
  readonly message: string;
}

export interface Circumstances {
  /** Of the plug's namespace; while they are not known, no selector picks it, one that asks for the absence of a label included. */
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined;
  /** Live plugs that are coupled to the socket or have a place reserved, without this one. */
  readonly otherPlugs: number;
}

/** Undefined: the socket takes the plug. Places are counted last, so that none is kept for a plug that is refused anyway. */
export function refusePlug(
  plug: Plug,
  socket: Socket,
  { namespaceLabels, otherPlugs }: Circumstances,
): Refusal | undefined {
  return (
    refuseNamespace(namespaceOf(plug), socket) ??
    refuseWithoutGrant(plug, socket, namespaceLabels) ??
    refuseInterface(plug, socket) ??
    refuseBeyondLimit(socket, otherPlugs)
  );
}

/** Whatever the lists say, an expression that is none admits nobody. */
function refuseNamespace(namespace: string, socket: Socket): Refusal | undefined {
  const { namespaceBlacklist: blacklist = [], namespaceWhitelist: whitelist = [] } = socket.spec.validation ?? {};
  try {
    const [isBlack, isWhite] = [blacklist, whitelist].map((list) =>
      list.map((expression) => matchesWhole(expression, namespace)).includes(true),
    );
    if (isBlack) return notAllowed(`namespace ${namespace} is blacklisted`);
    return whitelist.length === 0 || isWhite ? undefined : notAllowed(`namespace ${namespace} is not whitelisted`);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return notAllowed(`${describeObject(socket)} admits nobody until its spec.validation is corrected: ${error.what}`);
  }
}

function refuseWithoutGrant(
  plug: Plug,
  socket: Socket,
  namespaceLabels: Circumstances["namespaceLabels"],
): Refusal | undefined {
  const { namespaces = "All", selector, serviceAccounts } = socket.spec.allowedPlugs ?? {};
  const namespace = namespaceOf(plug);
  const isIn = {
    All: true,
    Same: namespace === namespaceOf(socket),
    Selector: selector !== undefined && namespaceLabels !== undefined && matchesSelector(selector, namespaceLabels),
  };
  const next = `whoever owns ${describeObject(socket)} can allow it in spec.allowedPlugs`;
  if (!isIn[namespaces]) return notAllowed(`namespace ${namespace} is not allowed; ${next}`);
  const account = serviceAccountOf(plug);
  if (!serviceAccounts || [account, `${namespace}/${account}`].some((name) => serviceAccounts.includes(name))) {
    return undefined;
  }
  return notAllowed(`service account ${namespace}/${account} is not allowed; ${next}`);
}

function refuseInterface(plug: Plug, socket: Socket): Refusal | undefined {
  const wanted = plug.spec.interfaceName ?? "";
  const offered = socket.spec.interface?.name ?? "";
  if (wanted === "" || offered === "" || wanted === offered) return undefined;
  return {
    reason: "InterfaceMismatch",
    message: `the plug is for ${wanted}, and ${describeObject(socket)} offers ${offered}; choose a socket that fits`,
  };
}

function refuseBeyondLimit({ spec: { limit = 0 } }: Socket, otherPlugs: number): Refusal | undefined {
  if (limit === 0 || otherPlugs < limit) return undefined;
  return { reason: "LimitReached", message: `the socket takes ${limit}, and ${otherPlugs} are there; one must leave` };
}

function notAllowed(message: string): Refusal {
  return { reason: "NamespaceNotAllowed", message };
}
