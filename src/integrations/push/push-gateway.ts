import { createMetrics, InputError, type Metrics, Secret } from "#base";
import { publishMetrics } from "#inventory";
import { managerIdentity } from "../manager-defaults.ts";
import type { ManagedRun } from "../manage/managed-run.ts";
import { runMetrics, type ShardIdentity, shardLabels } from "../manage/run-metrics.ts";

export interface PushGatewayOptions {
  /** Like `https://gateway.example.com:9091`. */
  readonly url: string;
  readonly login?: { readonly username: string; readonly password: Secret } | undefined;
  readonly identity: ShardIdentity;
  /** The longest silence of the gateway; default 10 s. */
  readonly timeoutMs?: number | undefined;
}

/** By the variables that qontract-reconcile reads; undefined if there is no gateway. */
export function readPushGateway(env: NodeJS.ProcessEnv): PushGatewayOptions | undefined {
  const text = (name: string): string | undefined => env[name] || undefined;
  const [given, username, password] = ["URL", "USERNAME", "PASSWORD"].map((name) => text(`PUSHGATEWAY_${name}`));
  if (given === undefined) {
    if (text("PUSHGATEWAY_ENABLED") === undefined) return undefined;
    throw new InputError("PUSHGATEWAY_ENABLED is set, but PUSHGATEWAY_URL is not", { next: "set it, or remove both" });
  }
  if ((username === undefined) !== (password === undefined)) {
    throw new InputError("only one of PUSHGATEWAY_USERNAME and PUSHGATEWAY_PASSWORD is set", { next: "set both" });
  }
  const url = /^https?:\/\//.test(given) ? given : `http://${given}`;
  if (!URL.canParse(url))
    throw new InputError("PUSHGATEWAY_URL is not a valid URL", { next: "write it like https://host" });
  return {
    url: url.replace(/\/+$/, ""),
    ...(username !== undefined && password !== undefined
      ? { login: { username, password: new Secret(password) } }
      : {}),
    identity: env,
  };
}

/** Pushes metrics of runs, for what Prometheus cannot scrape: https://github.com/prometheus/pushgateway#api */
export class PushGateway {
  readonly #options: PushGatewayOptions;
  /**
   * Its own, with few metrics: the gateway puts the labels of the group on each series, which would make series of different
   * integrations the same.
   */
  readonly #metrics: Metrics = createMetrics();
  readonly #run: ReturnType<typeof runMetrics>;

  constructor(options: PushGatewayOptions) {
    this.#options = options;
    this.#run = runMetrics(this.#metrics, options.identity);
  }

  /** Replaces what the last run has pushed. */
  async push(
    { seconds, isSuccess, inventory }: Pick<ManagedRun, "seconds" | "isSuccess" | "inventory">,
    signal: AbortSignal,
  ): Promise<void> {
    this.#run.started();
    this.#run.ended({ seconds, isSuccess });
    if (inventory) publishMetrics(inventory, managerIdentity.integration, this.#metrics);
    const { contentType, body } = await this.#metrics.expose();
    const { url, login, identity, timeoutMs = 10_000 } = this.#options;
    const { request } = await import("undici");
    const answer = await request(`${url}${groupPath(identity)}`, {
      method: "PUT",
      headers: {
        "content-type": contentType,
        ...(login ? { authorization: basic(login) } : {}),
      },
      body,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) {
      throw new Error(`the gateway answers ${answer.statusCode}: ${text.trim().slice(0, 300)}`);
    }
  }
}

function basic({ username, password }: NonNullable<PushGatewayOptions["login"]>): string {
  return `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString("base64")}`;
}

/** The group that qontract-reconcile pushes to. */
export function groupPath(identity: ShardIdentity): string {
  const labels = Object.entries(shardLabels(identity)).map(([name, value]) => {
    // A path cannot have an empty step, or a slash in one.
    const isPlain = value !== "" && !value.includes("/");
    return isPlain ? `/${name}/${encodeURIComponent(value)}` : `/${name}@base64/${base64(value)}`;
  });
  return `/metrics/job/qontract-reconcile${labels.join("")}`;
}

function base64(value: string): string {
  return Buffer.from(value).toString("base64url") || "=";
}
