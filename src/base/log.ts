import { createRequire } from "node:module";
import type * as Pino from "pino";
import { type Clock, systemClock } from "./clock.ts";
import { isJson } from "./json-value.ts";
import { redact } from "./secret.ts";

/** pino is loaded with the first logger, so that commands that log nothing, such as `tenon --help`, start faster. */
const require = createRequire(import.meta.url);

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, unknown>>;

/** A static message and the fields that vary. info: an operator would want it; debug: a developer would. */
export interface Logger extends Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>> {
  /** A logger that adds these fields to each of its lines. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  readonly level?: LogLevel;
  readonly destination?: { write(line: string): void };
  readonly clock?: Pick<Clock, "now">;
}

/** Writes JSON lines, to stderr by default. Known secrets are masked. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = "info", destination = process.stderr, clock = systemClock } = options;
  const { pino }: typeof Pino = require("pino");
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: loggableFields },
      serializers: { err: (value: unknown) => value },
      hooks: { streamWrite: redactLine },
    },
    destination,
  );
  return wrap(logger);
}

function wrap(logger: Pino.Logger): Logger {
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    child: (fields) => wrap(logger.child(loggableFields(fields))),
  };
}

/** A mask inside a number or across a quote makes invalid JSON; such a line becomes the message of a new one. */
function redactLine(line: string): string {
  const redacted = redact(line);
  if (redacted === line || isJson(redacted)) return redacted;
  return `${redact(JSON.stringify({ level: "warn", msg: redacted.trimEnd() }))}\n`;
}

function loggableFields(fields: LogFields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, loggable(value, [])]));
}

/** JSON shows nothing of an `Error`: its properties are not enumerable. */
function loggable(value: unknown, parents: readonly unknown[]): unknown {
  if (parents.includes(value)) return "[circular]";
  const path = [...parents, value];
  if (Array.isArray(value)) return value.map((item) => loggable(item, path));
  if (!(value instanceof Error)) return value;
  return {
    name: value.name,
    message: value.message,
    stack: value.stack,
    cause: loggable(value.cause, path),
    errors: value instanceof AggregateError ? loggable(value.errors, path) : undefined,
  };
}
