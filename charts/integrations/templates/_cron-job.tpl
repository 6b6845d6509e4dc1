{{- define "integrations.cron-job" -}}
{{- $integration := .integration -}}
apiVersion: batch/v1
kind: CronJob
metadata:
  name: {{ .name | quote }}
  labels: {{- include "integrations.labels" . | nindent 4 }}
spec:
  schedule: {{ $integration.cron | quote }}
  suspend: {{ .overrides.disabled | default false }}
  concurrencyPolicy: {{ $integration.concurrencyPolicy | default "Allow" }}
  {{- /* Not by default: zero is an answer. */}}
  successfulJobsHistoryLimit: {{ dig "successfulJobHistoryLimit" 3 $integration | int }}
  failedJobsHistoryLimit: {{ dig "failedJobHistoryLimit" 1 $integration | int }}
  jobTemplate:
    spec:
      template: {{- include "integrations.pod" . | nindent 8 }}
{{- end }}
