{{/*
A second container that sends the log file to chats and CloudWatch. Its configuration is an annotation of the pod: it is the same for
all integrations that send the same logs to the same targets; the rest comes from variables, and a change of it is a rollout.
*/}}
{{- define "integrations.log-shipper" -}}
{{- $trigger := .integration.trigger -}}
name: fluentd
image: ${FLUENTD_IMAGE}:${FLUENTD_IMAGE_TAG}@${FLUENTD_IMAGE_DIGEST}
imagePullPolicy: ${FLUENTD_IMAGE_PULL_POLICY}
env:
  - name: INTEGRATION_NAME
    value: {{ .integration.name | quote }}
  - name: LOG_FILE
    value: ${LOG_FILE}
  {{- if .logs.slack }}
  - name: SLACK_WEBHOOK_URL
    {{- include "integrations.secret-key" (list "app-interface" (ternary "slack.triggers_url" "slack.webhook_url" ($trigger | default false))) | nindent 4 }}
  - name: SLACK_CHANNEL
    value: {{ ternary "${SLACK_CHANNEL_TRIGGER}" "${SLACK_CHANNEL}" ($trigger | default false) }}
  - name: SLACK_ICON_EMOJI
    value: ${SLACK_ICON_EMOJI}
  {{- end }}
  {{- if .logs.slackErrorFilter }}
  - name: SLACK_ERRORS_ONLY_WEBHOOK_URL
    {{- include "integrations.secret-key" (list "app-interface" "slack.errors_only_webhook_url") | nindent 4 }}
  - name: SLACK_RECONCILE_ERR_CHANNEL_NAME
    value: ${SLACK_RECONCILE_ERR_CHANNEL_NAME}
  {{- end }}
  {{- if .logs.googleChat }}
  - name: GOOGLE_CHAT_WEBHOOK_URL
    {{- include "integrations.secret-key" (list "app-interface" (ternary "google_chat.triggers_url" "google_chat.webhook_url" ($trigger | default false))) | nindent 4 }}
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  {{- end }}
  {{- if .logs.cloudwatch }}
  - name: LOG_STREAM_NAME
    value: {{ .name | quote }}
  {{- range $variable := list "LOG_GROUP_NAME" "AWS_REGION" "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" }}
  - name: {{ $variable }}
    {{- include "integrations.secret-key" (list "${CLOUDWATCH_SECRET}" (lower $variable)) | nindent 4 }}
  {{- end }}
  {{- end }}
resources:
  {{- with .integration.fluentdResources }}
  {{- include "integrations.parametrized" (list (printf "%s_FLUENTD" $.parameters) .) | trim | nindent 2 }}
  {{- else }}
  requests:
    cpu: 15m
    memory: 30Mi
  limits:
    memory: 120Mi
  {{- end }}
securityContext: {{- include "integrations.security-context" true | nindent 2 }}
volumeMounts:
  - name: logs
    mountPath: /fluentd/log/
  - name: fluentd-config
    mountPath: /fluentd/etc/
    readOnly: true
  - name: fluentd-tmp
    mountPath: /tmp
{{- end }}

{{/* (list SECRET KEY) */}}
{{- define "integrations.secret-key" -}}
valueFrom:
  secretKeyRef:
    name: {{ index . 0 }}
    key: {{ index . 1 }}
{{- end }}
