import { register } from "@prometheus-io/client";
import { describe, expect, expectTypeOf, it } from "vitest";
import { createMetrics, type Metrics } from "./metrics.ts";
import { Secret } from "./secret.ts";

async function samples(metrics: Metrics): Promise<string[]> {
  const { body } = await metrics.expose();
  return body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

describe("createMetrics", () => {
  it("exposes what Prometheus reads", async () => {
    const metrics = createMetrics();
    metrics.counter("tenon_applies_total", "Objects applied.", ["cluster"]).inc({ cluster: "a" });
    const { contentType, body } = await metrics.expose();
    expect(contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(body).toContain("# HELP tenon_applies_total Objects applied.\n# TYPE tenon_applies_total counter\n");
    expect(body).toContain('tenon_applies_total{cluster="a"} 1\n');
  });

  it("counts", async () => {
    const metrics = createMetrics();
    const labelled = metrics.counter("labelled_total", "help", ["kind"]);
    labelled.inc({ kind: "Plug" });
    labelled.add(2.5, { kind: "Plug" });
    const plain = metrics.counter("plain_total", "help", []);
    plain.inc();
    plain.add(4);
    expect(await samples(metrics)).toEqual(['labelled_total{kind="Plug"} 3.5', "plain_total 5"]);
  });

  it("gauges, until the series is removed", async () => {
    const metrics = createMetrics();
    const depth = metrics.gauge("queue_depth", "help", ["queue"]);
    depth.set(7, { queue: "a" });
    depth.add(-2, { queue: "a" });
    depth.set(1, { queue: "b" });
    expect(await samples(metrics)).toEqual(['queue_depth{queue="a"} 5', 'queue_depth{queue="b"} 1']);
    depth.remove({ queue: "a" });
    expect(await samples(metrics)).toEqual(['queue_depth{queue="b"} 1']);
  });

  it("observes into the given buckets, which stay the caller's", async () => {
    const metrics = createMetrics();
    const buckets = [0.1, 1];
    metrics.histogram("duration_seconds", "help", ["job"], buckets).observe(0.5, { job: "couple" });
    expect(await samples(metrics)).toEqual([
      'duration_seconds_bucket{le="0.1",job="couple"} 0',
      'duration_seconds_bucket{le="1",job="couple"} 1',
      'duration_seconds_bucket{le="+Inf",job="couple"} 1',
      'duration_seconds_sum{job="couple"} 0.5',
      'duration_seconds_count{job="couple"} 1',
    ]);
    expect(Object.isFrozen(buckets)).toBe(false);
  });

  it("takes all labels of a metric and no others", () => {
    const metrics = createMetrics();
    const counter = metrics.counter("a_total", "help", ["cluster", "kind"]);
    const gauge = metrics.gauge("b", "help", ["cluster"]);
    const histogram = metrics.histogram("c", "help", [], [1]);
    type Both = Readonly<Record<"cluster" | "kind", string>>;
    expectTypeOf<Parameters<typeof counter.inc>>().toEqualTypeOf<[labels: Both]>();
    expectTypeOf<Parameters<typeof counter.add>>().toEqualTypeOf<[amount: number, labels: Both]>();
    expectTypeOf<Parameters<typeof gauge.set>>().toEqualTypeOf<
      [value: number, labels: Readonly<Record<"cluster", string>>]
    >();
    expectTypeOf<Parameters<typeof histogram.observe>>().toEqualTypeOf<[value: number]>();
  });

  it("shares nothing between registries", async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.counter("same_total", "help", []).inc();
    other.counter("same_total", "help", []);
    expect(await samples(one)).toEqual(["same_total 1"]);
    expect(await samples(other)).toEqual(["same_total 0"]);
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it("refuses a name that is taken", () => {
    const metrics = createMetrics();
    metrics.counter("same_total", "help", []);
    expect(() => metrics.gauge("same_total", "help", [])).toThrow(/same_total has already been registered/);
  });

  it("masks secrets in label values, and in these only", async () => {
    const metrics = createMetrics();
    const secret = new Secret("1234567");
    const gauge = metrics.gauge("size_bytes", "help", ["path"]);
    gauge.set(12_345_678, { path: `/login/${secret.reveal()}` });
    expect(await samples(metrics)).toEqual(['size_bytes{path="/login/***"} 12345678']);
    gauge.remove({ path: `/login/${secret.reveal()}` });
    expect(await samples(metrics)).toEqual([]);
  });
});
