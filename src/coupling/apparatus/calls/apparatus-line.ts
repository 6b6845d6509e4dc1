import { Semaphore } from "#base";
import type { Plug, Socket, Stage } from "../../kinds/index.ts";
import { PerOwner } from "../pods/per-owner.ts";

/**
 * The calls that wait for their turn, a line for each apparatus. A plug that is on its way goes before those that have not begun:
 * of 500 plugs on one apparatus, the first are coupled while the last still wait, instead of all at the end.
 */
export class ApparatusLines {
  readonly #lines: PerOwner<Semaphore>;
  readonly #atOnce: number;

  constructor(ownerOf: (kind: string, key: string) => Plug | Socket | undefined, atOnce: number) {
    this.#lines = new PerOwner(ownerOf);
    this.#atOnce = atOnce;
  }

  /** Other objects are not blocked. */
  run<Result>(
    { object }: { readonly object: Plug | Socket },
    event: Stage | "config",
    task: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const line = this.#lines.get(object, () => new Semaphore(this.#atOnce));
    return line.run(task, signal, ranks[event] ?? onItsWay);
  }

  forget(uid: string): void {
    this.#lines.forget(uid);
  }
}

const onItsWay = 2;
/**
 * A stage follows the answer to `config`, and `config` follows `created`. So each call is overtaken only by plugs that were
 * answered before it, and none waits for ever.
 */
const ranks: Readonly<Partial<Record<Stage | "config", number>>> = { created: 0, config: 1 };
