import { type Clock, describeError, type Logger, type Secret } from "#base";
import { type KubeClient, requestToken } from "#kube";

/** The token that identifies Tenon to apparatuses. */
export interface TokenSource {
  /** Undefined: there is no token. */
  current(signal: AbortSignal): Promise<Secret | undefined>;
  /** The current token was refused. */
  renew(): void;
}

/** The audience of the tokens: valid for apparatuses, and for nothing else. */
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
/** A token that is about to expire may be refused in transit. */
const marginMs = 5 * 60_000;
const restMs = 60_000;

/** Tokens of a service account, each for about an hour. If there are none, calls have no token. */
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

/** The service account that a client acts as; undefined if it is not a service account. */
export async function ownAccount(
  client: KubeClient,
  signal: AbortSignal,
): Promise<{ readonly namespace: string; readonly name: string } | undefined> {
  const { user } = await client.whoAmI(signal);
  const { namespace, name } = /^system:serviceaccount:(?<namespace>[^:]+):(?<name>[^:]+)$/.exec(user)?.groups ?? {};
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}
