{{/* The parameters of the Template: those of every rendering, then those of its integrations. */}}
{{- define "integrations.parameters" }}
- name: IMAGE
  description: image of the integrations
  value: quay.io/app-sre/qontract-reconcile
- name: IMAGE_TAG
  description: its tag, where no imageRef says another
  value: latest
- name: IMAGE_DIGEST
  description: its digest; what is environmentAware gets it
  value: ""
- name: IMAGE_AT_DIGEST
  description: an @ and the digest, if there is one; the manager computes it from IMAGE_DIGEST
  value: ""
- name: SERVICE_ACCOUNT_NAME
  description: what pods run as, where no serviceAccountName says otherwise
  value: default
- name: ENVIRONMENT_NAME
  description: name of the environment; what is environmentAware gets it
  value: app-interface
- name: DRY_RUN
  description: --dry-run or --no-dry-run
  value: --dry-run
- name: MANAGER_DRY_RUN
  description: the same for the manager alone
  value: --dry-run
- name: SLEEP_DURATION_SECS
  description: seconds between two runs, where no sleepDurationSecs says otherwise
  value: "300"
- name: QONTRACT_RECONCILE_TOML_SECRET_NAME
  description: Secret that is mounted at /config, if it is there
  value: qontract-reconcile-toml
- name: APP_INTERFACE_STATE_BUCKET_ACCOUNT
  description: account of the bucket in which qontract-reconcile keeps state
  value: app-sre
- name: AWS_CONFIG_SECRET_NAME
  description: Secret that is mounted at /aws with state, if it is there
  value: app-interface-aws-config
- name: PUSHGATEWAY_SECRET_NAME
  description: Secret with server, username and password of the push gateway
  value: push-gateway-auth-url
- name: LOG_FILE
  description: file that the integration writes its log to, for the log shipper
  value: /fluentd/log/integration.log
- name: SLACK_CHANNEL
  description: channel for logs.slack
  value: sd-app-sre-reconcile-stage
- name: SLACK_CHANNEL_TRIGGER
  description: the same for integrations with trigger
  value: sd-app-sre-triggers-stage
- name: SLACK_RECONCILE_ERR_CHANNEL_NAME
  description: channel for logs.slackErrorFilter
  value: sd-app-sre-reconcile-errors-stage
- name: SLACK_ICON_EMOJI
  description: the face in Slack
  value: ":bust_in_silhouette:"
- name: CLOUDWATCH_SECRET
  description: Secret with log_group_name, aws_region, aws_access_key_id and aws_secret_access_key
  value: app-interface-cloudwatch
- name: FLUENTD_IMAGE
  description: image of the log shipper, with the plugins slack and cloudwatch_logs
  value: quay.io/redhat-services-prod/app-sre-tenant/fluentd-master/fluentd-master
- name: FLUENTD_IMAGE_TAG
  description: its tag
  value: d0d1812
- name: FLUENTD_IMAGE_DIGEST
  description: its digest; a cluster takes this and not the tag
  value: sha256:4868ac49b42f14ff0878216cd2c618413209f634a5c9a6c004e353e1b0805e60
  required: true
- name: FLUENTD_IMAGE_PULL_POLICY
  description: when to pull it
  value: Always
- name: INTERNAL_CERTIFICATES_IMAGE
  description: image whose /etc/pki integrations with internalCertificates get
  value: quay.io/redhat-services-prod/app-sre-tenant/container-images-int-master/internal-redhat-ca-master
- name: INTERNAL_CERTIFICATES_IMAGE_TAG
  description: its tag
  value: latest
- name: INTERNAL_CERTIFICATES_IMAGE_PULL_POLICY
  description: when to pull it
  value: Always
- name: INTEGRATIONS_MANAGER_UPSTREAM
  description: for the manager
  value: ""
- name: INTEGRATIONS_MANAGER_IMAGE
  description: for the manager
  value: ""
- name: INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF
  description: for the manager
  value: ""
{{- $values := dict }}
{{- range $integration := concat .Values.integrations .Values.cronjobs }}
{{- $prefix := include "integrations.parameter-prefix" .name }}
{{- $own := dict }}
{{- with .sleepDurationSecs }}
{{- $_ := set $own (printf "%s_SLEEP_DURATION_SECS" $prefix) . }}
{{- end }}
{{- range $beginning, $resources := dict $prefix .resources (printf "%s_FLUENTD" $prefix) .fluentdResources }}
{{- range $block, $quantities := $resources }}
{{- range $resource, $quantity := $quantities }}
{{- $_ := set $own (include "integrations.quantity-parameter" (list $beginning $resource $block)) $quantity }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name := keys $own | sortAlpha }}
{{- if hasKey $values $name }}{{ fail (printf "%s: its parameter %s is that of another integration, too" $integration.name $name) }}{{ end }}
{{- $_ := set $values $name (get $own $name) }}
{{- end }}
{{- end }}
{{- range $name, $value := $values }}
- name: {{ $name | quote }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
