import { once } from "node:events";
import { createLogger, createMetrics, systemClock } from "#base";
import { isLoopbackHost, readDataServerSettings, serveData } from "#server";
import { readToken } from "./read-token.ts";
import type { Shell } from "../shell.ts";

export interface ServeChoice {
  readonly port: number;
  readonly host: string;
  readonly watch: boolean;
  readonly bundleTtl?: string;
  readonly schemas?: string;
  readonly tokenFile?: string;
}

/** Serves until interrupted. */
export async function runDataServer(location: string | undefined, choice: ServeChoice, shell: Shell): Promise<void> {
  const { port, host, watch, bundleTtl, schemas, tokenFile } = choice;
  const env = bundleTtl === undefined ? shell.env : { ...shell.env, BUNDLE_SHA_TTL: bundleTtl };
  const settings = readDataServerSettings(location, env, schemas === undefined ? {} : { schemas });
  const token = await readToken(tokenFile, shell.env);
  await using server = await serveData(
    {
      ...settings,
      host,
      port,
      watch,
      clock: systemClock,
      log: createLogger({ destination: shell.stderr }),
      metrics: createMetrics(),
      ...(token === undefined ? {} : { token }),
    },
    shell.signal,
  );
  const shown = host.includes(":") ? `[${host}]` : host;
  shell.stdout.write(`serving ${settings.source.description} at http://${shown}:${server.port}/graphql\n`);
  if (token === undefined && !isLoopbackHost(host)) {
    shell.stderr.write("  anyone who can reach this address can read all data; --token-file requires a token\n");
  }
  if (!shell.signal.aborted) await once(shell.signal, "abort");
  throw shell.signal.reason;
}
