{{/* A variable, unless extraEnv has one of that name: (list WORKLOAD NAME VALUE). */}}
{{- define "integrations.variable" }}
{{- if not (hasKey (index . 0).givenVariables (index . 1)) }}
- name: {{ index . 1 }}
  value: {{ index . 2 | quote }}
{{- end }}
{{- end }}

{{/* The same, with its value in a Secret, which may be absent if OPTIONAL: (list WORKLOAD NAME SECRET KEY OPTIONAL). */}}
{{- define "integrations.secret-variable" }}
{{- if not (hasKey (index . 0).givenVariables (index . 1)) }}
- name: {{ index . 1 }}
  valueFrom:
    secretKeyRef:
      name: {{ index . 2 }}
      key: {{ index . 3 }}
      {{- if index . 4 }}
      optional: true
      {{- end }}
{{- end }}
{{- end }}

{{/* What every image of an integration may rely on. */}}
{{- define "integrations.env" }}
{{- $integration := .integration }}
{{- if $integration.cron }}
{{- template "integrations.variable" (list . "RUN_ONCE" "true") }}
{{- end }}
{{- with .shard.shard_id }}
{{- template "integrations.variable" (list $ "SHARDS" $.shard.shards) }}
{{- template "integrations.variable" (list $ "SHARD_ID" .) }}
{{- end }}
{{- with .shard.shard_key }}
{{- template "integrations.variable" (list $ "SHARD_KEY" .) }}
{{- end }}
{{- template "integrations.variable" (list . "DRY_RUN" "${DRY_RUN}") }}
{{- with $integration.command }}
{{- template "integrations.variable" (list $ "COMMAND_NAME" .) }}
{{- end }}
{{- template "integrations.variable" (list . "INTEGRATION_NAME" $integration.name) }}
{{- with .shard.extra_args }}
{{- template "integrations.variable" (list $ "INTEGRATION_EXTRA_ARGS" .) }}
{{- end }}
{{- if not $integration.cron }}
{{- $own := printf "${%s_SLEEP_DURATION_SECS}" .parameters }}
{{- template "integrations.variable" (list . "SLEEP_DURATION_SECS" (ternary $own "${SLEEP_DURATION_SECS}" (hasKey $integration "sleepDurationSecs"))) }}
{{- end }}
{{- if .shipsLogs }}
{{- template "integrations.variable" (list . "LOG_FILE" "${LOG_FILE}") }}
{{- end }}
{{- if or .logs.googleChat .logs.slackErrorFilter }}
{{- /* So that errors can be distinguished from other lines. */}}
{{- template "integrations.variable" (list . "PREFIX_LOG_LEVEL" "true") }}
{{- end }}
{{- if $integration.state }}
{{- template "integrations.secret-variable" (list . "APP_INTERFACE_STATE_BUCKET" "app-interface" "aws.s3.bucket" true) }}
{{- template "integrations.variable" (list . "APP_INTERFACE_STATE_BUCKET_ACCOUNT" "${APP_INTERFACE_STATE_BUCKET_ACCOUNT}") }}
{{- template "integrations.secret-variable" (list . "APP_INTERFACE_STATE_BUCKET_REGION" "app-interface" "aws.region" true) }}
{{- template "integrations.secret-variable" (list . "APP_INTERFACE_STATE_AWS_PROFILE" "app-interface" "aws.profile.state" true) }}
{{- template "integrations.variable" (list . "AWS_CONFIG_FILE" "/aws/config") }}
{{- end }}
{{- if not $integration.disableUnleash }}
{{- template "integrations.secret-variable" (list . "UNLEASH_API_URL" "unleash" "API_URL" true) }}
{{- template "integrations.secret-variable" (list . "UNLEASH_CLIENT_ACCESS_TOKEN" "unleash" "CLIENT_ACCESS_TOKEN" true) }}
{{- end }}
{{- if $integration.dashdotdb }}
{{- template "integrations.secret-variable" (list . "DASHDOTDB_SECRET" "dashdotdb" "AUTH_VAULT_PATH" false) }}
{{- end }}
{{- if $integration.enablePushgateway }}
{{- template "integrations.variable" (list . "PUSHGATEWAY_ENABLED" "true") }}
{{- range $name, $key := dict "URL" "server" "USERNAME" "username" "PASSWORD" "password" }}
{{- template "integrations.secret-variable" (list $ (printf "PUSHGATEWAY_%s" $name) "${PUSHGATEWAY_SECRET_NAME}" $key false) }}
{{- end }}
{{- end }}
{{- if eq $integration.name "integrations-manager" }}
{{- range list "MANAGER_DRY_RUN" "INTEGRATIONS_MANAGER_UPSTREAM" "INTEGRATIONS_MANAGER_IMAGE" "INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF" }}
{{- template "integrations.variable" (list $ . (printf "${%s}" .)) }}
{{- end }}
{{- end }}
{{- if $integration.environmentAware }}
{{- range list "ENVIRONMENT_NAME" "IMAGE" "IMAGE_TAG" "IMAGE_DIGEST" "FLUENTD_IMAGE" "FLUENTD_IMAGE_TAG" "FLUENTD_IMAGE_DIGEST" "FLUENTD_IMAGE_PULL_POLICY" "CLOUDWATCH_SECRET" "INTERNAL_CERTIFICATES_IMAGE" "INTERNAL_CERTIFICATES_IMAGE_TAG" "INTERNAL_CERTIFICATES_IMAGE_PULL_POLICY" }}
{{- template "integrations.variable" (list $ . (printf "${%s}" .)) }}
{{- end }}
{{- end }}
{{- range $integration.extraEnv }}
{{- if .secretName }}
- name: {{ .secretKey | quote }}
  valueFrom:
    secretKeyRef:
      name: {{ .secretName | quote }}
      key: {{ .secretKey | quote }}
{{- else }}
- name: {{ .name | quote }}
  value: {{ .value | quote }}
{{- end }}
{{- end }}
{{- end }}
