import { randomUUID } from "node:crypto";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";
import { type Clock, createLogger, InputError, type JsonObject, type Logger, systemClock } from "#base";
import { CallLedger } from "./call-ledger.ts";
import { CallerCheck, type Verifier } from "./caller-check.ts";
import { type Call, type Handler, reject, runHandler, type StageAnswer, type StageName } from "./handler.ts";
import { inClusterVerifier } from "./in-cluster-verifier.ts";
import { serveApparatus, type ServeOptions, type Serving } from "./serve-apparatus.ts";
import {
  BodyProblem,
  type Config,
  type ConfigBody,
  digestOf,
  type IntegrationObject,
  type OwnStageBody,
  type PairStageBody,
  parseBody,
  readConfigBody,
  readOwnBody,
  readPairBody,
  subjectOf,
} from "./stage-body.ts";

/** One side's apparatus: what it does at each stage. A stage without a handler is answered with 200. */
export interface ApparatusOptions<PlugConfig = Config, SocketConfig = Config> {
  /** The path of `spec.apparatus.endpoint`, by convention `/plug` or `/socket`. */
  readonly prefix?: string;
  /** Validates and types the plug's config at `coupled`, `updated` and `decoupled`; an invalid config is rejected. */
  readonly plugConfig?: z.ZodType<PlugConfig>;
  readonly socketConfig?: z.ZodType<SocketConfig>;
  /** Returns this side's config, or a part of it. Called before each attempt: it must have no effects, and may be called often. */
  readonly config?: Handler<ConfigBody, JsonObject>;
  readonly created?: Handler<OwnStageBody, void>;
  readonly coupled?: Handler<PairStageBody<PlugConfig, SocketConfig>, StageAnswer>;
  readonly updated?: Handler<PairStageBody<PlugConfig, SocketConfig>, StageAnswer>;
  readonly decoupled?: Handler<PairStageBody<PlugConfig, SocketConfig>, void>;
  readonly deleted?: Handler<OwnStageBody, void>;
  /** Verifies the tokens of callers; false accepts every caller. Default: the API server in a cluster, else false. */
  readonly verify?: Verifier | false;
  /** Who may call, such as `system:serviceaccount:tenon:tenon`; undefined: every caller with a valid token. */
  readonly callers?: readonly string[];
  /** A call that takes longer is answered with 202, and Tenon asks again. */
  readonly respondWithinMs?: number;
  readonly largestBodyBytes?: number;
  readonly log?: Logger;
  readonly clock?: Clock;
}

export interface Apparatus {
  /** For tests with `app.request()`, or to be mounted into another app. */
  readonly app: Hono;
  /** Serves it alone; `serveApparatus` serves several. */
  listen(port: number, options?: Omit<ServeOptions, "port">): Promise<Serving>;
  /** Once no handler runs. */
  idle(): Promise<void>;
  /** Aborts the signals of the running handlers. */
  abort(reason: Error): void;
}

/** A parsed request. */
interface Work {
  readonly about: OwnStageBody | ConfigBody;
  readonly run: (call: Call) => Promise<JsonObject | StageAnswer>;
}

/** Callers ask again after so many seconds, and then wait for `respondWithinMs` once more. */
const retryAfterSeconds = "1";
/** Two objects of the largest size that etcd takes, and their Secrets. */
const usualLargestBody = 8 * 2 ** 20;

/**
 * An apparatus as an HTTP app that speaks Tenon's protocol.
 * Each call runs once: repeated calls join the one that runs, or get its answer from memory. The memory is lost with the
 * process, so handlers must be idempotent nevertheless.
 */
export function createApparatus<PlugConfig = Config, SocketConfig = Config>(
  options: ApparatusOptions<PlugConfig, SocketConfig>,
): Apparatus {
  const { clock = systemClock, respondWithinMs = 25_000, largestBodyBytes = usualLargestBody } = options;
  const log = options.log ?? createLogger();
  const prefix = readPrefix(options.prefix);
  const ledger = new CallLedger(clock);
  const check = callerCheckOf(options, clock, log);
  const app = new Hono();
  const limit = bodyLimit({
    maxSize: largestBodyBytes,
    onError: (context) => context.json({ error: `the body is larger than ${largestBodyBytes} bytes` }, 413),
  });

  function route(name: StageName | "config", read: (body: JsonObject) => Work): void {
    app.post(`${prefix}/${name}`, limit, async (context) => {
      const refusal = await check?.refuse(tokenOf(context));
      if (refusal) return context.json({ error: refusal.error }, refusal.status);
      try {
        return await answer(context, name, read(parseBody(await context.req.text())));
      } catch (error) {
        if (error instanceof BodyProblem) return context.json({ error: error.message }, 400);
        throw error;
      }
    });
  }

  async function answer(context: Context, name: StageName | "config", { about, run }: Work): Promise<Response> {
    const isQuestion = name === "config";
    const id = context.req.header("x-integration-id") || undefined;
    const subject = isQuestion ? `config ${id ?? randomUUID()}` : subjectOf(about);
    const answered = await ledger.answer(
      { subject, id, digest: digestOf(name, about), isQuestion },
      respondWithinMs,
      async (signal) => {
        const started = clock.monotonic();
        const attempt = context.req.header("x-integration-attempt");
        const callLog = log.child({ call: name, ...nameBoth(about), id, attempt });
        return runHandler(
          () => run({ id, signal, log: callLog }),
          callLog,
          () => Math.round(clock.monotonic() - started),
        );
      },
    );
    if (answered) return context.json(answered.body, answered.status);
    return context.json({}, 202, { "retry-after": retryAfterSeconds });
  }

  app.get(`${prefix}/ping`, (context) => context.json({}));
  route("config", (body) => {
    const about = readConfigBody(body);
    return { about, run: async (call) => options.config?.(about, call) ?? {} };
  });
  for (const stage of ["created", "deleted"] as const) {
    route(stage, (body) => {
      const about = readOwnBody(body);
      return { about, run: async (call) => options[stage]?.(about, call) };
    });
  }
  for (const stage of ["coupled", "updated", "decoupled"] as const) {
    route(stage, (body) => {
      const about = readPairBody(body);
      return { about, run: async (call) => options[stage]?.(typed(about, options), call) };
    });
  }

  const apparatus: Apparatus = {
    app,
    listen: (port, serving = {}) => serveApparatus([apparatus], { ...serving, port }),
    idle: () => ledger.idle(),
    abort: (reason) => ledger.abort(reason),
  };
  return apparatus;
}

function readPrefix(prefix = ""): string {
  const trimmed = prefix.replace(/\/+$/, "");
  if (trimmed === "" || /^(\/[\w.~-]+)+$/.test(trimmed)) return trimmed;
  throw new InputError(`${JSON.stringify(prefix)} is not a valid path prefix`, { next: "write it like /socket" });
}

function callerCheckOf(
  { verify = inClusterVerifier() ?? false, callers }: Pick<ApparatusOptions, "verify" | "callers">,
  clock: Clock,
  log: Logger,
): CallerCheck | undefined {
  if (verify === false) {
    if (callers === undefined) return undefined;
    throw new InputError("callers are set, but nothing verifies who calls", {
      next: "set verify, or remove callers",
    });
  }
  if (callers === undefined) {
    log.warn("anyone who can start a pod in this cluster can call this apparatus; set callers to restrict it");
  }
  return new CallerCheck({ verify, callers, clock, log });
}

/** The API server's proxy consumes `Authorization`. */
function tokenOf({ req }: Context): string | undefined {
  return req.header("x-integration-authorization") ?? req.header("authorization");
}

function nameBoth({ plug, socket }: OwnStageBody | ConfigBody): Record<string, string | undefined> {
  return { plug: nameOf(plug), socket: nameOf(socket) };
}

function nameOf(object: IntegrationObject | null): string | undefined {
  return object ? `${object.metadata.namespace}/${object.metadata.name}` : undefined;
}

/** The configs parsed by the schemas; without a schema, a config stays as it is. */
function typed<PlugConfig, SocketConfig>(
  body: PairStageBody<Config, Config>,
  schemas: Pick<ApparatusOptions<PlugConfig, SocketConfig>, "plugConfig" | "socketConfig">,
): PairStageBody<PlugConfig, SocketConfig> {
  return {
    ...body,
    plugConfig: readConfig("plugConfig", body.plugConfig, schemas.plugConfig),
    socketConfig: readConfig("socketConfig", body.socketConfig, schemas.socketConfig),
  };
}

function readConfig<Value>(name: string, config: Config, schema: z.ZodType<Value> | undefined): Value {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a schema, `Value` is its default, `Config`
  if (!schema) return config as Value;
  const { success, data, error } = schema.safeParse(config);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `${[name, ...path].join(".")}: ${message}`);
  return reject(problems.toSorted().join("; "));
}
