import type { Random } from "../random.ts";

/** Lines of a map that is two spaces deep. `NAME` stands for the chart's name, `SUB` for that of a subchart. */
const entries: readonly string[] = [
  "  name: {{ .Values.name | quote }}",
  "  replicas: {{ .Values.replicas | default 2 }}",
  '  {{- if .Values.enabled }}\n  on: "yes"\n  {{- else }}\n  off: "no"\n  {{- end }}',
  "  {{- if and .Values.enabled (not (empty .Values.list)) }}\n  first: {{ first .Values.list | quote }}\n  {{- end }}",
  "  {{- with .Values.labels }}\n  labels: {{- toYaml . | nindent 4 }}\n  {{- end }}",
  "  labels: {{ .Values.labels | toJson }}",
  "  {{- range $i, $e := .Values.list }}\n  item-{{ $i }}: {{ $e | quote }}\n  {{- end }}",
  "  {{- range .Values.items }}\n  {{ .name }}: {{ .value | toString | quote }}\n  {{- else }}\n  none: true\n  {{- end }}",
  "  {{- range $k, $v := .Values.nested }}\n  {{ $k }}: {{ $v | toJson | squote }}\n  {{- end }}",
  "  {{- range until 3 }}\n  n{{ . }}: {{ mul . 2 }}\n  {{- end }}",
  '  helper: {{ include "NAME.label" . | quote }}',
  '  common: {{ include "common.name" . | trim | quote }}',
  '  {{- include "NAME.block" . | nindent 2 }}',
  '  {{- template "NAME.inline" .Values }}',
  '  tpl: {{ tpl (.Values.text | default "none" | toString) . | quote }}',
  "  release: {{ .Release.Name }}-{{ .Release.Namespace }}-{{ .Release.Service }}-{{ .Release.Revision }}-{{ .Release.IsUpgrade }}",
  '  chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}-{{ .Chart.AppVersion }}-{{ .Chart.IsRoot }}',
  "  metadata: {{ .Chart | toJson | squote }}",
  "  template: {{ .Template.Name }} {{ .Template.BasePath }}",
  '  kube: {{ .Capabilities.KubeVersion.Minor | quote }}\n  has: {{ .Capabilities.APIVersions.Has "apps/v1/Deployment" }}',
  '  modern: {{ semverCompare ">=1.25-0" .Capabilities.KubeVersion.Version }}',
  '  file: {{ .Files.Get "files/a.txt" | quote }}',
  '  files: {{- (.Files.Glob "files/*").AsConfig | nindent 4 }}',
  '  secrets: {{- (.Files.Glob "files/**.txt").AsSecrets | nindent 4 }}',
  '  lines: {{ .Files.Lines "files/a.txt" | toJson }}',
  "  global: {{ .Values.global | toJson | squote }}",
  "  all: {{ .Values | toJson | squote }}",
  "  all: |\n{{ .Values | toYaml | indent 4 }}",
  "  subcharts: {{ keys .Subcharts | sortAlpha | toJson }}",
  '  {{- with index .Subcharts "SUB" }}\n  sub: {{ .Values | toJson | squote }}\n  {{- end }}',
  '  sub: {{ index .Values "SUB" | toJson | squote }}',
  '  lookup: {{ lookup "v1" "Secret" "ns" "x" | toJson }}',
  '  merged: {{ merge (dict "z" 1) (.Values.labels | default dict) | toJson | squote }}',
  '  {{- $name := .Values.name | default "n" }}\n  variable: {{ $name | toString | upper | quote }}',
  '  added: {{ set .Values "added" .Template.Name | len }}\n  seen: {{ .Values.added }}',
  '  printed: {{ printf "%v %s %d %q" .Values.name .Values.text .Values.replicas .Values.labels | quote }}',
  "  sum: {{ .Values | toJson | sha256sum }}",
  "  # a comment {{ .Release.Name }}",
  "  {{- /* nothing */}}",
  "",
];

/** What ends in an error, for some values or always. */
const faults: readonly string[] = [
  "  name: {{ .Values.name }}",
  '  block: {{ block "NAME.shared" . }}{{ .Chart.Name }}{{ end }}',
  '  required: {{ required "a name is needed" .Values.name }}',
  '  dig: {{ dig "nested" "a" "b" "none" (.Values | merge (dict)) | toString | quote }}',
  "  deep: {{ .Values.nested.a.b }}",
  "  region: {{ .Values.global.region | quote }}",
  '  sub: {{ (index .Subcharts "SUB").Values | toJson | squote }}',
  '  block: {{ block "NAME.shared" . }}{{ end }}{{ block "NAME.shared" . }}{{ end }}',
  '  {{- fail "stop here" }}',
  "  bad: {{ .Values.name.x }}",
  "  bad: {{ .Nope.x }}",
  "  bad: {{ nope }}",
  '  bad: {{ include "nope" . }}',
  "  bad: {{ .Values.list | toDate }}",
  "  bad: {{ if }}",
  '  bad: "unclosed',
  "\tbad: tab",
  "  bad: [1",
  "not a map",
  "---\ntext",
  "---\n[1, 2]",
  "  bad: {{ index .Values.list 99 }}",
  '  bad: {{ tpl "{{ .Values.x.y" . }}',
  '  bad: {{ tpl "{{ fail \\"inside\\" }}" . }}',
];

const kinds: readonly (readonly [string, string])[] = [
  ["v1", "ConfigMap"],
  ["v1", "Service"],
  ["v1", "Secret"],
  ["v1", "Namespace"],
  ["v1", "ServiceAccount"],
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["batch/v1", "Job"],
  ["rbac.authorization.k8s.io/v1", "ClusterRole"],
  ["networking.k8s.io/v1", "Ingress"],
  ["example.com/v1", "Widget"],
  ["example.com/v1beta1", "Gadget"],
];

const hookEvents = [
  "pre-install",
  "post-install",
  "pre-upgrade",
  "test",
  "pre-delete,post-delete",
  "test-success",
  "nope",
  " pre-install , post-upgrade",
  "crd-install",
];

/** A template with some documents. */
export function anyTemplate(random: Random, chart: string, subcharts: readonly string[]): string {
  const documents = random.times(1 + random.few(3), () => anyDocument(random));
  const text = documents.join(
    random.pick(["---\n", "---\n", "---\n", "\n---\n", "--- # next\n", "---\n---\n", "---\r\n"]),
  );
  return withNames(random.chance(0.1) ? `---\n${text}` : text, random, chart, subcharts);
}

function anyDocument(random: Random): string {
  if (random.chance(0.02))
    return random.pick(["", "# only a comment\n", "{{- if .Values.enabled }}\nkind: ConfigMap\n{{- end }}\n", "{}\n"]);
  const [apiVersion, kind] = random.pick(kinds);
  const annotations = random.chance(0.25)
    ? hookAnnotations(random)
    : random.chance(0.1)
      ? "  annotations: { helm.sh/resource-policy: keep }\n"
      : "";
  const body = random.times(1 + random.few(5), () => anyEntry(random)).join("\n");
  const name = random.pick([
    '{{ include "NAME.label" . }}',
    "{{ .Release.Name }}-x",
    "fixed",
    '{{ .Values.name | default "d" | toString | quote }}',
  ]);
  const document = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${annotations}${random.pick(["data", "spec"])}:\n${body}\n`;
  return random.chance(0.15) ? `{{- if .Values.enabled }}\n${document}{{- end }}\n` : document;
}

function anyEntry(random: Random): string {
  return random.pick(random.chance(0.012) ? faults : entries);
}

function hookAnnotations(random: Random): string {
  const weight = random.chance(0.6)
    ? `    helm.sh/hook-weight: ${random.pick(['"5"', '"-3"', "7", '"x"', '"0"'])}\n`
    : "";
  const policy = random.chance(0.3) ? "    helm.sh/hook-delete-policy: before-hook-creation, hook-succeeded\n" : "";
  return `  annotations:\n    helm.sh/hook: "${random.pick(hookEvents)}"\n${weight}${policy}`;
}

/** What other templates include. */
export function anyHelpers(random: Random, chart: string, subcharts: readonly string[]): string {
  const helpers = [
    '{{- define "NAME.label" -}}\n{{ .Release.Name | trunc 8 }}-{{ .Chart.Name }}\n{{- end -}}',
    '{{- define "NAME.block" }}\nblock: {{ .Values.name | quote }}\nfrom: NAME\n{{- end }}',
    '{{- define "NAME.inline" }}\n  inline: {{ .enabled }}\n{{- end }}',
    '{{ define "common.name" }} common of NAME {{ .Template.Name }} {{ end }}',
    '{{- define "NAME.shared" }}shared by NAME{{ end }}',
  ];
  const kept = helpers.filter(() => random.chance(0.995));
  return withNames(kept.join("\n"), random, chart, subcharts);
}

/** NOTES.txt */
export function anyNotes(random: Random, chart: string, subcharts: readonly string[]): string {
  return withNames(
    `Thanks for NAME.\n${random.times(random.few(3), () => anyEntry(random)).join("\n")}\n`,
    random,
    chart,
    subcharts,
  );
}

function withNames(text: string, random: Random, chart: string, subcharts: readonly string[]): string {
  const subchart = subcharts.length > 0 ? random.pick(subcharts) : "none";
  const named = text.replaceAll("NAME", chart).replaceAll("SUB", subchart);
  return random.chance(0.05) ? named.replaceAll("\n", "\r\n") : named;
}
