{{- define "integrations.parameter-prefix" -}}
{{ . | upper | replace "-" "_" }}
{{- end }}

{{/* The parameter of a quantity, like A_CPU_REQUEST: (list PREFIX RESOURCE BLOCK). */}}
{{- define "integrations.quantity-parameter" -}}
{{ index . 0 }}_{{ index . 1 | upper }}_{{ index . 2 | trimSuffix "s" | upper }}
{{- end }}

{{/* Resources as they are; quantities are text, because 0.5 is a number otherwise. */}}
{{- define "integrations.quantities" }}
{{- range $block, $quantities := . }}
{{- with $quantities }}
{{ $block }}:
  {{- range $resource, $quantity := . }}
  {{ $resource }}: {{ $quantity | quote }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Resources by parameters, so that an environment can change them: (list PREFIX resources). */}}
{{- define "integrations.parametrized" }}
{{- $prefix := first . }}
{{- range $block, $quantities := last . }}
{{- with $quantities }}
{{ $block }}:
  {{- range $resource, $_ := . }}
  {{ $resource }}: {{ printf "${%s}" (include "integrations.quantity-parameter" (list $prefix $resource $block)) | quote }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}
