{{- /* A parent's definition replaces that of a subchart. */ -}}
{{- define "web.greeting" -}}
hello from {{ .Chart.Name }}, overridden by the parent
{{- end -}}
