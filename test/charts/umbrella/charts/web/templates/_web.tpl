{{- define "web.greeting" -}}
hello from {{ .Chart.Name }}
{{- end -}}
