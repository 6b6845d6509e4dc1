import { InputError } from "#base";

/** The name of a plug or a socket, as people write it. */
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

/** `NAMESPACE/NAME`, or `NAME` in the namespace that is meant otherwise. */
export function readKey(text: string, namespace: string): { readonly namespace: string; readonly name: string } {
  const parts = text.split("/");
  const [first = "", second = first] = parts;
  if (parts.length > 2 || first === "" || second === "") {
    throw new InputError(`${JSON.stringify(text)} names no object`, { next: "write NAMESPACE/NAME, such as shop/db" });
  }
  return { namespace: parts.length === 2 ? first : namespace, name: second };
}

/** `plug/NAMESPACE/NAME` or `socket/NAMESPACE/NAME`. */
export function readName(text: string, namespace: string): CoupledName {
  const slash = text.indexOf("/");
  const kind = kinds[text.slice(0, Math.max(slash, 0)).toLowerCase()];
  if (kind === undefined) {
    throw new InputError(`${JSON.stringify(text)} names no plug or socket`, {
      next: "write KIND/NAMESPACE/NAME, such as plug/shop/db or socket/data/postgres",
    });
  }
  return { kind, ...readKey(text.slice(slash + 1), namespace) };
}
