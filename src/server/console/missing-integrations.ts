import type { Clock } from "#base";
import type { DesiredPlace } from "#integrations";
import type { ConsoleRow } from "./console-api.ts";
import type { DesiredIntegrations } from "./desired-integrations.ts";
import { searchable, type SearchableRow } from "./query-rows.ts";

/** Rows for what has no object in the cluster. */
export interface MissingRows {
  /** Resolves when it is known what there should be. */
  ready(signal: AbortSignal): Promise<void>;
  /** The next question asks about rights anew. */
  doubt(): void;
  /** Why some may be missing. */
  readonly problem: string | undefined;
  /** `live` has the keys of the rows that there are; `sees` says where the person would see an object. */
  rows(live: ReadonlySet<string>, sees: (namespace: string) => boolean): readonly SearchableRow[];
}

export interface MissingIntegrationsOptions {
  readonly desired: DesiredIntegrations;
  /** Whether the person may see the data. */
  readonly maySeeData: (signal: AbortSignal) => Promise<boolean>;
  readonly clock: Clock;
}

/** The right to see the data is asked about again after this time. */
const trustMs = 30_000;

/** The integrations that the data runs here and that are not deployed, for one person. */
export class MissingIntegrations implements MissingRows {
  readonly #options: MissingIntegrationsOptions;
  #isAllowed = false;
  #askedAt = -Infinity;

  constructor(options: MissingIntegrationsOptions) {
    this.#options = options;
  }

  get problem(): string | undefined {
    const { problem } = this.#options.desired;
    if (!this.#isAllowed || problem === undefined) return undefined;
    return `integrations that are not deployed may be missing here: ${problem}`;
  }

  async ready(signal: AbortSignal): Promise<void> {
    const { desired, maySeeData, clock } = this.#options;
    if (clock.monotonic() - this.#askedAt > trustMs) {
      this.#isAllowed = await maySeeData(signal);
      this.#askedAt = clock.monotonic();
    }
    if (this.#isAllowed) await desired.ready(signal);
  }

  doubt(): void {
    this.#askedAt = -Infinity;
  }

  rows(live: ReadonlySet<string>, sees: (namespace: string) => boolean): readonly SearchableRow[] {
    if (!this.#isAllowed) return [];
    return this.#options.desired.places
      .filter(({ namespace, integration }) => !live.has(`${namespace}/${integration}`) && sees(namespace))
      .map((place) => searchable(missingRow(place)));
  }
}

function missingRow({ integration, namespace, shards, suspended }: DesiredPlace): ConsoleRow {
  const found = { list: "integrations", namespace, name: integration, waitsOn: "person" } as const;
  const cells = { ready: `0 of ${shards}`, shards: String(shards) };
  if (suspended === undefined) {
    const waitsFor = "the data runs it here, and nothing of it is deployed";
    return { ...found, state: "NotDeployed", waitsFor, next: "read its plan, and apply it", cells };
  }
  const waitsFor = `it is not deployed, and suspended: ${suspended}`;
  return { ...found, state: "Suspended", waitsFor, next: "once the reason is gone, resume it", cells };
}
