import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { packageFile, valueAt } from "#base";
import { loadChart, renderChart } from "#template";
import { phases, plugReasons } from "../../../src/coupling/kinds/shared-status.ts";

const chart = loadChart(packageFile("charts", "tenon"));
const values = { metrics: { prometheusRule: { enabled: true } } };

/** The selectors of an expression, such as `tenon_plugs{state="Failed"}`, each with what its labels must match. */
function selectorsOf(expression: string): { metric: string; labels: Map<string, readonly string[]> }[] {
  return [...expression.matchAll(/(\w+)\{([^}]*)\}/g)].map(([, metric = "", matchers = ""]) => {
    const pairs = [...matchers.matchAll(/(\w+)[=!]~?"([^"]*)"/g)];
    return { metric, labels: new Map(pairs.map(([, label = "", text = ""]) => [label, text.split("|")])) };
  });
}

test("the alerts of the chart ask for metrics, states and reasons that Tenon has", async () => {
  const { manifests } = renderChart(chart, { values, release: { name: "tenon", namespace: "there" } });
  const rule = manifests.map(({ object }) => object).find((object) => valueAt(object, ["kind"]) === "PrometheusRule");
  const rules = valueAt(rule, ["spec", "groups", 0, "rules"]);
  expect(rules).toHaveLength(3);
  const documented = await readFile(packageFile("docs", "reference", "metrics.md"), "utf8");
  for (const each of Array.isArray(rules) ? rules : []) {
    const selectors = selectorsOf(String(valueAt(each, ["expr"])));
    expect(selectors).toHaveLength(1);
    for (const { metric, labels } of selectors) {
      expect(documented).toContain(`\`${metric}\``);
      expect(labels.get("namespace")).toEqual(["there"]);
      for (const state of labels.get("state") ?? []) expect(["New", ...phases]).toContain(state);
      for (const reason of labels.get("reason") ?? []) expect(Object.keys(plugReasons)).toContain(reason);
    }
  }
});
