import { InputError } from "#base";

/** A plug or a socket that the user named. */
export interface CoupledName {
  readonly kind: "Plug" | "Socket";
  readonly namespace: string;
  readonly name: string;
}

const kinds: Readonly<Record<string, CoupledName["kind"]>> = {
  plug: "Plug",
  plugs: "Plug",
  plg: "Plug",
  socket: "Socket",
  sockets: "Socket",
  sck: "Socket",
};

/** `NAMESPACE/NAME`, or `NAME` in the default namespace. */
export function parseObjectKey(text: string, namespace: string): { readonly namespace: string; readonly name: string } {
  const parts = text.split("/");
  const [first = "", second = first] = parts;
  if (parts.length > 2 || first === "" || second === "") {
    throw new InputError(`expected NAMESPACE/NAME, got ${JSON.stringify(text)}`, { next: "write it like shop/db" });
  }
  return { namespace: parts.length === 2 ? first : namespace, name: second };
}

/** `plug/NAMESPACE/NAME` or `socket/NAMESPACE/NAME`. */
export function parseCoupledName(text: string, namespace: string): CoupledName {
  const slash = text.indexOf("/");
  const kind = kinds[text.slice(0, Math.max(slash, 0)).toLowerCase()];
  if (kind === undefined) {
    throw new InputError(`expected KIND/NAMESPACE/NAME, got ${JSON.stringify(text)}`, {
      next: "write it like plug/shop/db or socket/data/postgres",
    });
  }
  return { kind, ...parseObjectKey(text.slice(slash + 1), namespace) };
}
