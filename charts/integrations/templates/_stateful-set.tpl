{{- define "integrations.stateful-set" -}}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ .name | quote }}
  labels: {{- include "integrations.labels" . | nindent 4 }}
spec:
  replicas: {{ include "integrations.replicas" . }}
  revisionHistoryLimit: 5
  serviceName: integrations
  selector: {{- include "integrations.selector" . | nindent 4 }}
  template: {{- include "integrations.pod" . | nindent 4 }}
  volumeClaimTemplates:
    - metadata:
        name: storage
      spec:
        accessModes:
          - ReadWriteOnce
        {{- with .integration.storageClassName }}
        storageClassName: {{ . | quote }}
        {{- end }}
        resources:
          requests:
            storage: {{ .integration.storage | default "1Gi" | quote }}
{{- end }}
