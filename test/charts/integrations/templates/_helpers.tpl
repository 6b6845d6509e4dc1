{{/* The labels of everything that belongs to one integration. */}}
{{- define "integrations.labels" -}}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .integration.name }}
{{- with .shard.shard_key }}
shard-key: {{ . | trunc 63 | quote }}
{{- end }}
{{- end }}

{{- define "integrations.name" -}}
{{- printf "%s%s" .integration.name (.shard.shard_name_suffix | default "") | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "integrations.container" -}}
{{- $integration := .integration -}}
{{- $shard := .shard -}}
{{- $overrides := $shard.shard_spec_overrides | default dict -}}
- name: int
  image: {{ .root.Values.image }}:{{ $overrides.imageRef | default .root.Values.imageTag }}
  {{- if $integration.command }}
  command: [{{ $integration.command }}]
  {{- end }}
  env:
    - name: SHARDS
      value: {{ $shard.shards | int | quote }}
    - name: SHARD_ID
      value: {{ $shard.shard_id | int | quote }}
    - name: DRY_RUN
      value: {{ ternary "--dry-run" "--no-dry-run" (default false $integration.dryRun) }}
    - name: INTEGRATION_NAME
      value: {{ $integration.name }}
    {{- with trim (join " " (compact (list $integration.extraArgs $shard.extra_args))) }}
    - name: INTEGRATION_EXTRA_ARGS
      value: {{ . | quote }}
    {{- end }}
    - name: LOG_LEVEL
      value: {{ .root.Values.logLevel }}
    {{- range $integration.extraEnv }}
    - name: {{ .name }}
      {{- if .secretKey }}
      valueFrom:
        secretKeyRef:
          name: {{ .secretName }}
          key: {{ .secretKey }}
      {{- else }}
      value: {{ .value | quote }}
      {{- end }}
    {{- end }}
  resources: {{- $overrides.resources | default $integration.resources | toYaml | nindent 4 }}
  {{- if or $integration.trigger $integration.volumes }}
  volumeMounts:
    {{- range $integration.volumes }}
    - name: {{ .name }}
      mountPath: {{ .path }}
      readOnly: true
    {{- end }}
  {{- end }}
{{- end }}

{{- define "integrations.volumes" -}}
{{- range . }}
- name: {{ .name }}
  secret: {secretName: {{ .secret }}}
{{- end }}
{{- end }}
