import { execFileSync } from "node:child_process";
import { ensureOracle } from "#oracle";
import { compileTemplate } from "#template";
import { median } from "./measure.ts";

const executions = 100_000;
const runs = 5;

const templates = [
  {
    what: "a tiny template",
    text: "Hello {{ .name }}, {{ if gt .n 3.0 }}many{{ else }}few{{ end }}",
    data: { name: "World", n: 5 },
  },
  {
    what: "loops, fields and printf",
    text: '{{ range $i, $e := .list }}{{ if $i }}, {{ end }}{{ $e.name }}={{ printf "%s-%v" $e.value $e.n }}{{ end }}',
    data: {
      list: [
        { name: "a", value: "x", n: 1 },
        { name: "b", value: "y", n: 2 },
      ],
    },
  },
];

/** Templates executed many times in this process, and by Go in one of its own. */
export async function measureTemplate(): Promise<void> {
  const oracle = await ensureOracle(new AbortController().signal);
  for (const { what, text, data } of templates) {
    const template = compileTemplate(text);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let run = 0; run < runs; run++) {
      const args = ["bench-template", text, JSON.stringify(data), String(executions), "go"];
      theirs.push(Number(execFileSync(oracle, args, { encoding: "utf8" })));
      ours.push(nanoseconds(() => template.execute(data)));
    }
    const [here, go] = [median(ours), median(theirs)];
    console.log(`${what}, ${executions} times: ${here.toFixed(0)} ns each, Go ${go.toFixed(0)} ns`);
    console.log(`  ratio ${(here / go).toFixed(2)} (bar: at most 1)\n`);
  }
}

/** Processor time of one execution. */
function nanoseconds(execute: () => unknown): number {
  const before = process.cpuUsage();
  for (let count = 0; count < executions; count++) execute();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1_000) / executions;
}
