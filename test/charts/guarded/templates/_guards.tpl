{{- define "guarded.check" -}}
  {{- if and (eq .Values.mode "secure") (lt (int .Values.replicas) 2) -}}
    {{- fail (printf "mode %s needs at least two replicas, not %v" .Values.mode .Values.replicas) -}}
  {{- end -}}
{{- end -}}
