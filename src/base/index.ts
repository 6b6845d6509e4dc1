export { type Clock, systemClock } from "./clock.ts";
export { describeError } from "./describe-error.ts";
export { ConflictError, type ErrorDetails, InputError } from "./errors.ts";
export { FakeClock } from "./fake-clock.ts";
export { type FieldPath, formatFieldPath, parseFieldPath, valueAt } from "./field-path.ts";
export { createLogger, type LogFields, type Logger, type LoggerOptions, type LogLevel, silentLogger } from "./log.ts";
export { type Counter, createMetrics, type Gauge, type Histogram, type Metrics } from "./metrics.ts";
export { redact, Secret } from "./secret.ts";
export { Semaphore } from "./semaphore.ts";
