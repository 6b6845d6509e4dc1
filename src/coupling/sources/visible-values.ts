import type { Pair, Side, Socket } from "../kinds/index.ts";
import type { ResolvedMap } from "./resolved.ts";

/** kubectl stores the whole manifest in it. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The keys of the socket's config that the interface hides from plugs. */
export function hiddenKeys({ spec }: Socket): ReadonlySet<string> {
  const half = Object.entries(spec.interface?.config?.socket ?? {});
  return new Set(half.filter(([, property]) => property?.plugVisible === false).map(([key]) => key));
}

/** The socket's config as a side may see it. */
export function visibleConfig(side: Side, socket: Socket | undefined, config: ResolvedMap): ResolvedMap {
  const hidden = side === "plug" && socket ? hiddenKeys(socket) : new Set();
  return hidden.size === 0 ? config : new Map([...config].filter(([key]) => !hidden.has(key)));
}

const seenByPlugs = new WeakMap<Socket, Socket>();

/** The pair as a side may see it: hidden values that are in the Socket itself are left out for the plug. */
export function seenBy(side: Side, { plug, socket }: Pair): Pair {
  return { plug, socket: side === "plug" ? socketForPlugs(socket) : socket };
}

/** One object for all plugs, so that it is prepared for templates once. */
export function socketForPlugs(socket: Socket): Socket {
  const known = seenByPlugs.get(socket);
  if (known) return known;
  const hidden = hiddenKeys(socket);
  const seen = hidden.size === 0 ? socket : withoutKeys(socket, hidden);
  seenByPlugs.set(socket, seen);
  return seen;
}

function withoutKeys(socket: Socket, hidden: ReadonlySet<string>): Socket {
  const { spec, metadata } = socket;
  const { config, configTemplate, interface: declared } = spec;
  const rest = <Value>(map: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(map).filter(([key]) => !hidden.has(key)));
  const half = Object.entries(declared?.config?.socket ?? {}).map(([key, property]) => {
    const { default: _, ...shown } = property ?? {};
    return [key, hidden.has(key) ? shown : property] as const;
  });
  const { [lastAppliedAnnotation]: _, ...annotations } = metadata.annotations ?? {};
  return {
    ...socket,
    metadata: { ...metadata, ...(metadata.annotations ? { annotations } : {}) },
    spec: {
      ...spec,
      ...(config ? { config: rest(config) } : {}),
      ...(configTemplate ? { configTemplate: rest(configTemplate) } : {}),
      interface: { ...declared, config: { ...declared?.config, socket: Object.fromEntries(half) } },
    },
  };
}
