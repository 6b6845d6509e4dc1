{{- define "integrations.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name | quote }}
  labels: {{- include "integrations.labels" . | nindent 4 }}
spec:
  replicas: {{ include "integrations.replicas" . }}
  revisionHistoryLimit: 5
  selector: {{- include "integrations.selector" . | nindent 4 }}
  template: {{- include "integrations.pod" . | nindent 4 }}
{{- end }}
