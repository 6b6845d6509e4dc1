import { InputError, parseDuration } from "#base";

/** What upstream's environment variables tell the manager. */
export interface ManagerEnvironment {
  readonly environment: string | undefined;
  readonly upstream: string | undefined;
  readonly image: string | undefined;
  /** As `--image-tag-from-ref` has them, `ENVIRONMENT=REF`. */
  readonly imageTagFromRef: readonly string[];
  readonly isDryRun: boolean | undefined;
  readonly isRunOnce: boolean;
  readonly intervalMs: number;
  readonly retryMs: number;
  readonly metricsPort: number;
}

/** Reads upstream's variables for the manager; an empty one counts as not set. */
export function readManagerEnvironment(env: NodeJS.ProcessEnv): ManagerEnvironment {
  const text = (name: string): string | undefined => env[name] || undefined;
  return {
    environment: text("ENVIRONMENT_NAME"),
    upstream: text("INTEGRATIONS_MANAGER_UPSTREAM"),
    image: text("INTEGRATIONS_MANAGER_IMAGE"),
    imageTagFromRef: (env["INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF"] ?? "").split(/\s+/).filter(Boolean),
    isDryRun: dryRunOf(text("MANAGER_DRY_RUN")),
    isRunOnce: text("RUN_ONCE") !== undefined,
    intervalMs: secondsOf("SLEEP_DURATION_SECS", text("SLEEP_DURATION_SECS"), 600),
    retryMs: secondsOf("SLEEP_ON_ERROR", text("SLEEP_ON_ERROR"), 10),
    metricsPort: portOf(text("PROMETHEUS_PORT")),
  };
}

/** Not `DRY_RUN`: that one is for the integrations that the manager starts. */
function dryRunOf(flag: string | undefined): boolean | undefined {
  if (flag === undefined) return undefined;
  if (flag === "--dry-run") return true;
  if (flag === "--no-dry-run") return false;
  throw new InputError(`MANAGER_DRY_RUN is ${flag}`, { next: "set it to --dry-run or --no-dry-run" });
}

/** Seconds as upstream has them, or a duration like `5m`. */
function secondsOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback * 1000;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InputError(`${name} is ${text}`, { next: "set it to more than 0 seconds" });
}

function portOf(text: string | undefined): number {
  const port = text === undefined ? 9090 : Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new InputError(`PROMETHEUS_PORT is ${text}`, { next: "set it to a port number" });
}
