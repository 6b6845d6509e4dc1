import { type Clock, describeError, type Logger, type Secret } from "#base";
import { type KubeClient, requestToken } from "#kube";

/** What Tenon shows to apparatuses, so that they know who calls. */
export interface TokenSource {
  /** Undefined: there is none to show. */
  current(signal: AbortSignal): Promise<Secret | undefined>;
  /** The one that was shown is not believed. */
  renew(): void;
}

/** By which apparatuses know that a token is for them, and for nobody who could do more with it. */
const tokenAudience = "integration-operator";

interface TokenSourceOptions {
  readonly client: KubeClient;
  readonly account: { readonly namespace: string; readonly name: string } | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Known {
  readonly token: Promise<Secret | undefined>;
  /** Milliseconds since the epoch. */
  until: number;
}

const lifeSeconds = 3_600;
/** A token that is about to end may be refused on its way. */
const marginMs = 5 * 60_000;
const restMs = 60_000;

/** Tokens of a service account, each for about an hour. Where there are none to be had, calls go without. */
export function createTokenSource({ client, account, clock, log }: TokenSourceOptions): TokenSource {
  let known: Known | undefined;

  function ask(asked: NonNullable<typeof account>, now: number): Known {
    const options = { audiences: [tokenAudience], expirationSeconds: lifeSeconds };
    const asking: Known = {
      until: now + restMs,
      token: requestToken(client, asked, options).then(
        ({ token, expiresAt }) => {
          asking.until = expiresAt - marginMs;
          return token;
        },
        (error: unknown) => {
          log.warn("cannot get a token for apparatuses; calling them without one", { error: describeError(error) });
          return undefined;
        },
      ),
    };
    return asking;
  }

  return {
    async current(signal) {
      if (!account) return undefined;
      const now = clock.now();
      if (!known || now >= known.until) known = ask(account, now);
      const token = await known.token;
      signal.throwIfAborted();
      return token;
    },
    renew() {
      known = undefined;
    },
  };
}

/** The service account that a client acts as; undefined if it is none. */
export async function ownAccount(
  client: KubeClient,
  signal: AbortSignal,
): Promise<{ readonly namespace: string; readonly name: string } | undefined> {
  const { user } = await client.whoAmI(signal);
  const { namespace, name } = /^system:serviceaccount:(?<namespace>[^:]+):(?<name>[^:]+)$/.exec(user)?.groups ?? {};
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}
