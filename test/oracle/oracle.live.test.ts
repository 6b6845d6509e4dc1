import { afterAll, beforeAll, expect, test } from "vitest";
import { type Oracle, startOracle } from "./oracle.ts";
import type { TemplateRequest } from "./requests.ts";

let oracle: Oracle;
beforeAll(async () => {
  oracle = await startOracle();
}, 1_200_000);
afterAll(() => oracle[Symbol.asyncDispose]());

function template(text: string, rest: Partial<TemplateRequest> = {}): TemplateRequest {
  return { op: "template", templates: { t: text }, entry: "t", functions: "helm", ...rest };
}

test("answers come in the order of the questions, however many are asked at once", async () => {
  const numbers = Array.from({ length: 2_000 }, (_, index) => index);
  const answers = await Promise.all(numbers.map((data) => oracle.ask(template("{{ . }}", { data }))));
  expect(answers.map(({ output }) => Number(output))).toEqual(numbers);
});

test.each([
  { reason: "no end is in sight", text: "{{ range 1000000000000 }}{{ end }}", answer: { error: "timeout" } },
  { reason: "no memory is left", text: "{{ len (until 4000000000) }}", answer: { error: "out of memory" } },
  {
    reason: "a value contains itself, of which Go dies",
    text: '{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ $d }}',
    answer: { fatal: true, error: expect.stringContaining("stack overflow") },
  },
])("a request that Go cannot answer gets an error, and the others are answered: $reason", async ({ text, answer }) => {
  const [before, asked, after] = await Promise.all([
    oracle.ask(template("before")),
    oracle.ask(template(text)),
    oracle.ask(template("after")),
  ]);
  expect([before, asked, after]).toEqual([{ output: "before" }, { phase: "execute", ...answer }, { output: "after" }]);
});

test("bytes that are not UTF-8 survive both ways", async () => {
  const bytes = Buffer.from([0x61, 0xff, 0xc3]).toString("base64");
  expect(await oracle.ask(template("{{ . }}", { data: { $bytes: bytes } }))).toEqual({ outputBase64: bytes });
});

test.each([
  { numbers: "float64" as const, types: "float64 float64" },
  { numbers: "int64" as const, types: "int64 float64" },
  { numbers: "number" as const, types: "json.Number json.Number" },
])("numbers become what was asked for: $numbers", async ({ numbers, types }) => {
  const json = '{"a": 1, "b": 1.0}';
  expect(await oracle.ask(template("{{ typeOf .a }} {{ typeOf .b }}", { json, numbers }))).toEqual({ output: types });
});

test("a chart is printed as helm template prints it", async () => {
  const files = {
    "Chart.yaml": "apiVersion: v2\nname: demo\nversion: 1.0.0\n",
    "values.yaml": "a: 1\n",
    "templates/b.yaml": "kind: Service\nname: {{ .Release.Name }}-{{ .Values.a }}\n",
    "templates/a.yaml": "kind: Deployment\nkube: {{ .Capabilities.KubeVersion.Version }}\n",
    "templates/NOTES.txt": "Hello {{ .Release.Namespace }}",
  };
  const encoded = Object.entries(files).map(([path, text]) => [path, Buffer.from(text).toString("base64")]);
  const answer = await oracle.ask({
    op: "chart",
    files: Object.fromEntries(encoded),
    set: ["a=2"],
    release: { name: "r", namespace: "n" },
    kubeVersion: "1.30",
  });
  expect(answer).toMatchObject({
    output:
      "---\n# Source: demo/templates/b.yaml\nkind: Service\nname: r-2\n" +
      "---\n# Source: demo/templates/a.yaml\nkind: Deployment\nkube: v1.30\n",
    notes: "Hello n",
  });
});

test("an OpenShift Template is processed as oc does", async () => {
  const object = { kind: "ConfigMap", apiVersion: "v1", data: { a: "${A}", n: "${{A}}", other: "${B}" } };
  const { output = "" } = await oracle.ask({
    op: "process",
    template: { kind: "Template", parameters: [{ name: "A" }], objects: [object] },
    parameters: { A: "5" },
  });
  expect(JSON.parse(output).objects[0].data).toEqual({ a: "5", n: 5, other: "${B}" });
});
