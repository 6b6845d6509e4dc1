{{/*
What fluentd does. "#{...}" in double quotes is Ruby, evaluated when fluentd starts; nothing of an integration is written here,
so that none of it is taken for Ruby.
*/}}
{{- define "integrations.fluent-conf" -}}
<source>
  @type tail
  path "#{ENV['LOG_FILE']}"
  pos_file /fluentd/log/position
  tag integration
  read_from_head true
  <parse>
    @type none
  </parse>
</source>
<filter integration>
  @type grep
  {{- range list "using gql endpoint" "request_id: " "Certificate did not match expected hostname" }}
  <exclude>
    key message
    pattern /{{ . }}/
  </exclude>
  {{- end }}
</filter>
<match integration>
  @type copy
  {{- if .logs.slack }}
  <store ignore_error>
    {{- include "integrations.fluent-slack" (list "SLACK_WEBHOOK_URL" "SLACK_CHANNEL") | nindent 4 }}
  </store>
  {{- end }}
  {{- if .logs.slackErrorFilter }}
  <store ignore_error>
    @type relabel
    @label @slack_errors
  </store>
  {{- end }}
  {{- if .logs.googleChat }}
  <store ignore_error>
    @type relabel
    @label @google_chat
  </store>
  {{- end }}
  {{- if .logs.cloudwatch }}
  <store ignore_error>
    @type cloudwatch_logs
    log_group_name "#{ENV['LOG_GROUP_NAME']}"
    log_stream_name "#{ENV['LOG_STREAM_NAME']}"
    auto_create_stream true
  </store>
  {{- end }}
</match>
{{- if .logs.slackErrorFilter }}
<label @slack_errors>
  {{- include "integrations.fluent-errors" . | nindent 2 }}
  <match integration>
    {{- include "integrations.fluent-slack" (list "SLACK_ERRORS_ONLY_WEBHOOK_URL" "SLACK_RECONCILE_ERR_CHANNEL_NAME") | nindent 4 }}
  </match>
</label>
{{- end }}
{{- if .logs.googleChat }}
<label @google_chat>
  {{- include "integrations.fluent-errors" . | nindent 2 }}
  <filter integration>
    @type record_transformer
    renew_record true
    <record>
      text ${record["message"]}
    </record>
  </filter>
  <match integration>
    @type http
    endpoint "#{ENV['GOOGLE_CHAT_WEBHOOK_URL']}&threadKey=#{ENV['POD_NAME']}"
    content_type application/json
    <format>
      @type json
    </format>
    <buffer>
      chunk_limit_records 1
      flush_interval 15s
      flush_at_shutdown true
      retry_max_times 1
    </buffer>
  </match>
</label>
{{- end }}
{{- end }}

{{- define "integrations.fluent-errors" -}}
<filter integration>
  @type grep
  <regexp>
    key message
    pattern /^\[ERROR\]/
  </regexp>
</filter>
{{- end }}

{{/* (list URL CHANNEL), both variables */}}
{{- define "integrations.fluent-slack" -}}
@type slack
webhook_url "#{ENV['{{ index . 0 }}']}"
channel "#{ENV['{{ index . 1 }}']}"
icon_emoji "#{ENV['SLACK_ICON_EMOJI']}"
username "#{ENV['INTEGRATION_NAME']}"
message "```[#{ENV['INTEGRATION_NAME']}] %s```"
flush_interval 10s
{{- end }}
