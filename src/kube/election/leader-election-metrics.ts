import type { Gauge, Metrics } from "#base";

export interface ElectionMetrics {
  leads(leads: boolean): void;
}

/** A registry takes a name once, and elections share theirs. */
const registered = new WeakMap<Metrics, Gauge<"name">>();

/** Under client-go's name: https://github.com/kubernetes/component-base/blob/master/metrics/prometheus/clientgo/leaderelection/metrics.go */
export function electionMetrics(metrics: Metrics | undefined, name: string): ElectionMetrics {
  if (!metrics) return { leads() {} };
  const gauge =
    registered.get(metrics) ??
    metrics.gauge("leader_election_master_status", "1 in the instance that leads, 0 in the others.", ["name"]);
  registered.set(metrics, gauge);
  return { leads: (leads) => gauge.set(leads ? 1 : 0, { name }) };
}
