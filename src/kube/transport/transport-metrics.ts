import type { Metrics } from "#base";

/** The metrics of a transport, with the names that client-go uses. */
export interface TransportMetrics {
  /** The `code` is `<error>` if there was no answer. */
  answered(call: {
    readonly method: string;
    readonly host: string;
    readonly code: string;
    readonly seconds: number;
  }): void;
  retried(call: { readonly method: string; readonly host: string; readonly code: string }): void;
  waited(call: { readonly method: string; readonly host: string; readonly seconds: number }): void;
}

const silent: TransportMetrics = { answered() {}, retried() {}, waited() {} };
const byRegistry = new WeakMap<Metrics, TransportMetrics>();

/** A registry accepts each name once, so the transports of a registry share their metrics. */
export function transportMetrics(metrics: Metrics | undefined): TransportMetrics {
  if (metrics === undefined) return silent;
  const known = byRegistry.get(metrics) ?? register(metrics);
  byRegistry.set(metrics, known);
  return known;
}

/** https://github.com/kubernetes/component-base/blob/v0.37.1/metrics/prometheus/restclient/metrics.go */
const seconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

function register(metrics: Metrics): TransportMetrics {
  const requests = metrics.counter(
    "rest_client_requests_total",
    "Calls of the Kubernetes API, by status code (<error>: no answer), method and host.",
    ["code", "method", "host"],
  );
  const durations = metrics.histogram(
    "rest_client_request_duration_seconds",
    "How long calls of the Kubernetes API took, each try by itself, by verb and host.",
    ["verb", "host"],
    seconds,
  );
  const waits = metrics.histogram(
    "rest_client_rate_limiter_duration_seconds",
    "How long calls of the Kubernetes API waited for others of this process to finish, by verb and host.",
    ["verb", "host"],
    seconds,
  );
  const retries = metrics.counter(
    "rest_client_request_retries_total",
    "Calls of the Kubernetes API that were sent again, by the status code that led to it, verb and host.",
    ["code", "verb", "host"],
  );
  return {
    answered(call) {
      requests.inc({ code: call.code, method: call.method, host: call.host });
      durations.observe(call.seconds, { verb: call.method, host: call.host });
    },
    retried: ({ method, host, code }) => retries.inc({ code, verb: method, host }),
    waited: (call) => waits.observe(call.seconds, { verb: call.method, host: call.host }),
  };
}
