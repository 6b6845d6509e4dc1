import { InputError } from "#base";

/** How many Snapshots of a namespace are kept. */
export interface SweepLimits {
  readonly pullRequests: number;
  readonly others: number;
  /** The newest pushed Snapshots of each component. */
  readonly perComponent: number;
}

const variables = {
  pullRequests: { name: "PR_SNAPSHOTS_TO_KEEP", otherwise: 512 },
  others: { name: "NON_PR_SNAPSHOTS_TO_KEEP", otherwise: 512 },
  perComponent: { name: "MIN_SNAPSHOTS_TO_KEEP_PER_COMPONENT", otherwise: 5 },
} as const;

/** From the environment variables of integration-service. One that is not a number must not decide what is deleted. */
export function readSweepLimits(env: Readonly<Record<string, string | undefined>>): SweepLimits {
  const read = (limit: keyof SweepLimits): number => {
    const { name, otherwise } = variables[limit];
    const text = env[name] ?? "";
    if (text === "") return otherwise;
    if (/^\d{1,9}$/.test(text)) return Number(text);
    throw new InputError(`expected a whole number, got ${JSON.stringify(text)}`, {
      where: name,
      next: `set how many Snapshots to keep, or leave it out for ${otherwise}`,
    });
  };
  return { pullRequests: read("pullRequests"), others: read("others"), perComponent: read("perComponent") };
}
