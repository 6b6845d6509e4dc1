{{/* The container of the integration itself. */}}
{{- define "integrations.container" -}}
{{- $integration := .integration -}}
name: int
image: {{ include "integrations.image" . | quote }}
{{- with $integration.entrypoint }}
command: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $integration.args }}
args: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if not $integration.cron }}
ports:
  - name: http
    containerPort: 9090
    protocol: TCP
{{- include "integrations.probes" $integration }}
{{- end }}
env: {{- include "integrations.env" . | trim | nindent 2 }}
{{- if .overrides.resources }}
resources: {{- include "integrations.quantities" .overrides.resources | trim | nindent 2 }}
{{- else if $integration.resources }}
resources: {{- include "integrations.parametrized" (list .parameters $integration.resources) | trim | nindent 2 }}
{{- end }}
securityContext: {{- include "integrations.security-context" (dig "readOnlyRootFilesystem" true $integration) | nindent 2 }}
volumeMounts: {{- include "integrations.volume-mounts" . | trim | nindent 2 }}
{{- end }}

{{- define "integrations.image" -}}
{{- $ref := .overrides.imageRef | default .integration.imageRef -}}
${IMAGE}:{{ $ref | default "${IMAGE_TAG}${IMAGE_AT_DIGEST}" }}
{{- end }}

{{/*
An integration that runs in a loop cannot say more than that it serves its metrics. A run may keep it from answering for long,
so it is restarted only after five minutes of silence.
*/}}
{{- define "integrations.probes" }}
{{- $defaults := dict
  "readinessProbe" (dict "periodSeconds" 10 "timeoutSeconds" 5)
  "livenessProbe" (dict "periodSeconds" 30 "timeoutSeconds" 10 "failureThreshold" 10)
}}
{{- range $probe := list "livenessProbe" "readinessProbe" }}
{{- $given := dig $probe true $ }}
{{- if $given }}
{{- $settings := ternary $given (get $defaults $probe) (kindIs "map" $given) }}
{{ $probe }}:
  {{- if not (or $settings.exec $settings.grpc $settings.httpGet $settings.tcpSocket) }}
  httpGet:
    path: /metrics
    port: http
  {{- end }}
  {{- toYaml $settings | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
