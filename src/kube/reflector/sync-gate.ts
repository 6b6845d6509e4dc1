import { abortable } from "../transport/abortable.ts";

/** Opens once, for good, unless it is closed before. */
export class SyncGate {
  readonly #opening = Promise.withResolvers<void>();
  #isOpen = false;

  constructor() {
    // Nobody has to wait for it.
    this.#opening.promise.catch(() => {});
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#opening.resolve();
  }

  /** Those who wait for an opening that has not happened get this error. */
  close(error: unknown): void {
    this.#opening.reject(error);
  }

  whenOpen(signal?: AbortSignal): Promise<void> {
    return abortable(this.#opening.promise, signal);
  }
}
