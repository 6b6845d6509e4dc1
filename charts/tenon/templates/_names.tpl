{{- define "tenon.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "tenon.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "tenon.name" .) .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name (include "tenon.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "tenon.selector" -}}
app.kubernetes.io/name: {{ include "tenon.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* Not of those that work, so that neither their Services nor their budget count it. */}}
{{- define "tenon.consoleSelector" -}}
app.kubernetes.io/name: {{ include "tenon.name" . }}-console
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tenon.labels" -}}
{{ include "tenon.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "tenon.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "tenon.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "tenon.subjects" -}}
- kind: ServiceAccount
  name: {{ include "tenon.serviceAccountName" . }}
  namespace: {{ .Release.Namespace }}
{{- end }}

{{- define "tenon.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The tenon.yaml of the console's pod. What leads to credentials, webhooks or files of the manager is not in it. */}}
{{- define "tenon.consoleConfig" -}}
{{- $ofManager := dict }}
{{- if .Values.console.data }}
{{- $ofManager = omit .Values.manage.config "tokenStore" "notifications" "kubeconfig" "context" "instance" "stateFile" "interval" "console" }}
{{- end }}
{{- toYaml (mergeOverwrite (deepCopy $ofManager) .Values.console.config) }}
{{- end }}

{{- /* Operators of some namespaces each have a Lease of their own; that of all namespaces has integration-operator's. */}}
{{- define "tenon.coupleLease" -}}
{{- if or .Values.couple.namespaces .Values.couple.namespaceSelector -}}
{{ include "tenon.fullname" . }}-couple
{{- else -}}
cb0904ca.rock8s.com
{{- end }}
{{- end }}

{{- define "tenon.jobs" -}}
{{- $jobs := list }}
{{- if .Values.jobs.couple }}{{ $jobs = append $jobs "couple" }}{{ end }}
{{- if .Values.jobs.manage }}{{ $jobs = append $jobs "manage" }}{{ end }}
{{- if .Values.jobs.promote }}{{ $jobs = append $jobs "promote" }}{{ end }}
{{- join "," $jobs }}
{{- end }}

{{- /* Not empty if the chart installs the kinds of spaces. */}}
{{- define "tenon.spaces" -}}
{{- if and .Values.jobs.promote (has "environments" .Values.promote.parts) .Values.promote.spaceKinds }}true{{ end }}
{{- end }}

{{- /* Not empty if the chart runs a part of promote that is about Snapshots. */}}
{{- define "tenon.snapshots" -}}
{{- if and .Values.jobs.promote (or (has "builds" .Values.promote.parts) (has "tests" .Values.promote.parts) (has "releases" .Values.promote.parts)) }}true{{ end }}
{{- end }}
