{{/*
A workload is one shard of one integration: a dict that template.yaml makes, and that every template of this folder gets.

  integration     its entry in the values
  shard           the shard's entry in shard_specs
  overrides       what is different in this shard
  name            of the object
  parameters      beginning of the names of its parameters
  givenVariables  the variables that extraEnv sets, by name
  logs            the integration's logs
  shipsLogs       whether something else than standard output gets them
*/}}

{{- define "integrations.labels" -}}
app: {{ .integration.name | quote }}
tenon.dev/shard: {{ .shard.shard_name_suffix | default "" | trimPrefix "-" | quote }}
{{- end }}

{{/* What finds the pods of this shard, and those of no other, not even while an integration changes its sharding. */}}
{{- define "integrations.selector" -}}
matchLabels: {{- include "integrations.labels" . | nindent 2 }}
{{- end }}

{{- define "integrations.replicas" -}}
{{ ternary 0 1 (.overrides.disabled | default false) }}
{{- end }}
