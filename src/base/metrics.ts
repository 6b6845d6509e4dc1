import { createRequire } from "node:module";
import type * as Prometheus from "@prometheus-io/client";
import { redact } from "./secret.ts";

/** Loaded with the first registry, as in log.ts. */
const require = createRequire(import.meta.url);

type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

/** All labels of the metric at once, or no argument for a metric that has none. */
type LabelArguments<Label extends string> = [Label] extends [never] ? [] : [labels: LabelValues<Label>];

export interface Counter<Label extends string> {
  inc(...labels: LabelArguments<Label>): void;
  add(amount: number, ...labels: LabelArguments<Label>): void;
}

export interface Gauge<Label extends string> {
  set(value: number, ...labels: LabelArguments<Label>): void;
  add(amount: number, ...labels: LabelArguments<Label>): void;
  /** Stops exposing the series of what no longer exists. */
  remove(...labels: LabelArguments<Label>): void;
}

export interface Histogram<Label extends string> {
  observe(value: number, ...labels: LabelArguments<Label>): void;
}

/** Metric names are API: each name can be registered once. */
export interface Metrics {
  counter<const Labels extends readonly string[]>(name: string, help: string, labels: Labels): Counter<Labels[number]>;
  gauge<const Labels extends readonly string[]>(name: string, help: string, labels: Labels): Gauge<Labels[number]>;
  histogram<const Labels extends readonly string[]>(
    name: string,
    help: string,
    labels: Labels,
    buckets: readonly number[],
  ): Histogram<Labels[number]>;
  /** What Prometheus scrapes. */
  expose(): Promise<{ contentType: string; body: string }>;
}

export function createMetrics(): Metrics {
  const client: typeof Prometheus = require("@prometheus-io/client");
  const registry = new client.Registry();
  const registers = [registry];
  return {
    counter(name, help, labels) {
      const counter = new client.Counter<string>({ name, help, labelNames: labels, registers });
      return {
        inc: (...[values]) => counter.inc(redactLabels(values)),
        add: (amount, ...[values]) => counter.inc(redactLabels(values), amount),
      };
    },
    gauge(name, help, labels) {
      const gauge = new client.Gauge<string>({ name, help, labelNames: labels, registers });
      return {
        set: (value, ...[values]) => gauge.set(redactLabels(values), value),
        add: (amount, ...[values]) => gauge.inc(redactLabels(values), amount),
        remove: (...[values]) => gauge.remove(redactLabels(values)),
      };
    },
    histogram(name, help, labels, buckets) {
      const histogram = new client.Histogram<string>({
        name,
        help,
        labelNames: labels,
        buckets: [...buckets],
        registers,
      });
      return { observe: (value, ...[values]) => histogram.observe(redactLabels(values), value) };
    },
    async expose() {
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

/** Masks label values and not the exposed text, where a mask could break a number or make two series equal. */
function redactLabels(values: LabelValues<string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([label, value]) => [label, redact(value)]));
}
