{{/* The template of a pod, metadata included. */}}
{{- define "integrations.pod" -}}
{{- $integration := .integration -}}
metadata:
  labels:
    {{- if not $integration.cron }}
    component: integration
    {{- end }}
    {{- include "integrations.labels" . | nindent 4 }}
    {{- with $integration.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- if or .shipsLogs $integration.podAnnotations }}
  annotations:
    {{- if .shipsLogs }}
    tenon.dev/fluent.conf: | {{- include "integrations.fluent-conf" . | nindent 6 }}
    {{- end }}
    {{- with $integration.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
spec:
  serviceAccountName: {{ $integration.serviceAccountName | default "${SERVICE_ACCOUNT_NAME}" | quote }}
  {{- range $field := list "imagePullSecrets" "nodeSelector" "tolerations" "affinity" }}
  {{- with get $integration $field }}
  {{ $field }}: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- with $integration.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    seccompProfile:
      type: RuntimeDefault
    {{- with $integration.podSecurityContext }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- if $integration.cron }}
  restartPolicy: {{ $integration.restartPolicy | default "OnFailure" }}
  {{- end }}
  {{- /* In a job, the log shipper must not be what keeps the pod alive. */}}
  {{- $isSidecar := and .shipsLogs $integration.cron }}
  {{- if or $integration.internalCertificates $isSidecar }}
  initContainers:
    {{- if $integration.internalCertificates }}
    - {{- include "integrations.internal-certificates" . | nindent 6 }}
    {{- end }}
    {{- if $isSidecar }}
    - {{- include "integrations.log-shipper" . | nindent 6 }}
      restartPolicy: Always
    {{- end }}
  {{- end }}
  containers:
    - {{- include "integrations.container" . | nindent 6 }}
    {{- if and .shipsLogs (not $integration.cron) }}
    - {{- include "integrations.log-shipper" . | nindent 6 }}
    {{- end }}
  volumes: {{- include "integrations.volumes" . | trim | nindent 4 }}
{{- end }}

{{/* What the restricted standard of Kubernetes asks of every container; with true, the files of its image are read-only. */}}
{{- define "integrations.security-context" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: {{ . }}
capabilities:
  drop:
    - ALL
{{- end }}

{{- define "integrations.internal-certificates" -}}
name: internal-certificates
image: ${INTERNAL_CERTIFICATES_IMAGE}:${INTERNAL_CERTIFICATES_IMAGE_TAG}
imagePullPolicy: ${INTERNAL_CERTIFICATES_IMAGE_PULL_POLICY}
command:
  - cp
  - -R
  - /etc/pki/.
  - /tmp/etc-pki/
resources:
  requests:
    cpu: 15m
    memory: 10Mi
  limits:
    memory: 20Mi
securityContext: {{- include "integrations.security-context" true | nindent 2 }}
volumeMounts:
  - name: internal-certificates
    mountPath: /tmp/etc-pki/
{{- end }}
