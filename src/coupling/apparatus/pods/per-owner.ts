import { keyOf } from "#kube";
import type { Plug, Socket } from "../../kinds/index.ts";

/** A value for each plug and socket, kept only while the owner exists: a call may outlive its owner. */
export class PerOwner<Value> {
  readonly #ownerOf: (kind: string, key: string) => Plug | Socket | undefined;
  readonly #values = new Map<string, Value>();

  constructor(ownerOf: (kind: string, key: string) => Plug | Socket | undefined) {
    this.#ownerOf = ownerOf;
  }

  find(uid: string | undefined): Value | undefined {
    return this.#values.get(uid ?? "");
  }

  /** Created if there is none; not kept for an owner that no longer exists. */
  get(owner: Plug | Socket, make: () => Value): Value {
    const known = this.find(owner.metadata.uid);
    if (known !== undefined) return known;
    const value = make();
    this.set(owner, value);
    return value;
  }

  set(owner: Plug | Socket, value: Value): void {
    const { uid = "" } = owner.metadata;
    if (this.#ownerOf(owner.kind, keyOf(owner))?.metadata.uid === uid) this.#values.set(uid, value);
  }

  forget(uid: string | undefined): void {
    this.#values.delete(uid ?? "");
  }
}
