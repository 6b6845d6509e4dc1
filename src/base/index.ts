export { type Clock, systemClock } from "./clock.ts";
export { compareText } from "./compare-text.ts";
export { describeError } from "./describe-error.ts";
export { formatDuration, parseDuration } from "./duration.ts";
export { CommandFailed, ConflictError, type ErrorDetails, InputError } from "./errors.ts";
export { type FieldPath, formatFieldPath, parseFieldPath, valueAt } from "./field-path.ts";
export { HeldSecrets } from "./held-secrets.ts";
export {
  isJson,
  isJsonList,
  isJsonObject,
  isRecord,
  type JsonList,
  type JsonObject,
  type JsonValue,
} from "./json-value.ts";
export { LeastRecentlyUsed } from "./least-recently-used.ts";
export { closeServer, listenOn } from "./listen-on.ts";
export { createLogger, type LogFields, type Logger, type LoggerOptions, type LogLevel } from "./log.ts";
export { silentLogger } from "./silent-logger.ts";
export { type Counter, createMetrics, type Gauge, type Histogram, type Metrics } from "./metrics.ts";
export { nearestName } from "./nearest-name.ts";
export { packageFile } from "./package-file.ts";
export { QuotingError } from "./quoting-error.ts";
export { type Redact, redact, Secret } from "./secret.ts";
export { Semaphore } from "./semaphore.ts";
