{{- /* By this label, `tenon promote offboard` knows what onboarding made. */}}
{{- define "tenant.labels" -}}
tenon.dev/onboarding: {{ .Release.Name }}
{{- end }}

{{- /* The name of the default plan of an application: at most 63 characters, and never that of another application. */}}
{{- define "tenant.defaultPlanName" -}}
{{- if gt (len .) 54 -}}
{{ trunc 46 . }}-{{ sha256sum . | trunc 7 }}-released
{{- else -}}
{{ . }}-released
{{- end }}
{{- end }}

{{- define "tenant.planName" -}}
{{- .Values.releasePlan.name | default (include "tenant.defaultPlanName" .Values.application.name) }}
{{- end }}

{{- /* What the default plan of every application has in common, as JSON. */}}
{{- define "tenant.planSpec" -}}
{{- $params := list (dict "name" "name" "value" "retag") }}
{{- if eq .Values.releasePlan.pipeline "tekton" }}
{{- $params = list
    (dict "name" "kind" "value" "pipeline")
    (dict "name" "name" "value" "push-to-registry")
    (dict "name" "namespace" "value" .Release.Namespace) }}
{{- end }}
{{- $resolver := ternary "cluster" "builtin" (eq .Values.releasePlan.pipeline "tekton") }}
{{- $pipeline := dict
    "pipelineRef" (dict "resolver" $resolver "params" $params)
    "serviceAccountName" "appstudio-pipeline" }}
{{- $spec := dict
    "tenantPipeline" $pipeline
    "data" (dict "mapping" (dict "defaults" (dict "tags" .Values.releasePlan.tags))) }}
{{- with .Values.releasePlan.verification }}
{{- $_ := set $spec.data "verification" . }}
{{- end }}
{{- if not (kindIs "invalid" .Values.releasePlan.gracePeriodDays) }}
{{- $_ := set $spec "releaseGracePeriodDays" (int .Values.releasePlan.gracePeriodDays) }}
{{- end }}
{{- toJson $spec }}
{{- end }}

{{- /* The value of the annotation of the namespace. */}}
{{- define "tenant.defaultPlan" -}}
{{- $plan := dict "spec" (include "tenant.planSpec" . | fromJson) }}
{{- if not .Values.releasePlan.autoRelease }}
{{- $_ := set $plan "autoRelease" false }}
{{- end }}
{{- toJson $plan }}
{{- end }}

{{- /* What the steps of the tasks of environments have in common. */}}
{{- define "tenant.environmentStep" -}}
image: {{ .Values.environments.image | default (printf "tenon:%s" .Chart.AppVersion) | quote }}
# The image has no shell, and the pod runs no text of a tenant: each parameter is part of one argument.
command: [/usr/local/bin/node, /app/dist/tenon.js]
computeResources:
  requests:
    cpu: 50m
    memory: 128Mi
  limits:
    memory: 256Mi
securityContext:
  allowPrivilegeEscalation: false
  runAsNonRoot: true
  runAsUser: 65532
  capabilities:
    drop: [ALL]
{{- end }}
