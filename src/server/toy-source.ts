import type { Bundle, BundleSource, SourceChanges } from "#bundle";

/** A source for tests, whose bundle can be replaced, or be something that cannot be loaded. */
export class FakeBundleSource implements BundleSource {
  readonly description = "a toy";
  next: Bundle | Error;
  loads = 0;
  readonly #rings: (() => void)[] = [];

  constructor(first: Bundle) {
    this.next = first;
  }

  async load(): Promise<Bundle> {
    this.loads++;
    await Promise.resolve();
    if (this.next instanceof Error) throw this.next;
    return this.next;
  }

  async read() {
    return { bundle: await this.load(), problems: [], find: () => undefined };
  }

  ring(): void {
    for (const ring of this.#rings.splice(0)) ring();
  }

  async *changes(signal: AbortSignal): AsyncIterable<SourceChanges> {
    while (!signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#rings.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      if (!signal.aborted) yield ["everything"];
    }
  }
}
