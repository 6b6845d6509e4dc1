{{/* Where the integration's container finds what it is given, and where it may write. */}}
{{- define "integrations.volume-mounts" }}
{{- $integration := .integration }}
- name: tmp
  mountPath: /tmp
- name: config
  mountPath: /config
  readOnly: true
{{- if not $integration.cron }}
{{- /* One volume for both, so that it stays when one of them is switched on or off. */}}
{{- if $integration.cache }}
- name: storage
  mountPath: /.cache
  subPath: cache
{{- end }}
{{- if $integration.state }}
- name: storage
  mountPath: /state
  subPath: state
{{- end }}
{{- end }}
{{- if $integration.state }}
- name: aws-config
  mountPath: /aws
  readOnly: true
- name: bound-service-account-token
  mountPath: /var/run/secrets/openshift/serviceaccount
  readOnly: true
{{- end }}
{{- if $integration.internalCertificates }}
- name: internal-certificates
  mountPath: /etc/pki/
  readOnly: true
{{- end }}
{{- if .shipsLogs }}
- name: logs
  mountPath: /fluentd/log/
{{- end }}
{{- end }}

{{- define "integrations.volumes" }}
- name: tmp
  emptyDir: {}
- name: config
  secret:
    secretName: ${QONTRACT_RECONCILE_TOML_SECRET_NAME}
    optional: true
{{- if .integration.state }}
- name: aws-config
  secret:
    secretName: ${AWS_CONFIG_SECRET_NAME}
    optional: true
- name: bound-service-account-token
  projected:
    sources:
      - serviceAccountToken:
          audience: openshift
          expirationSeconds: 1800
          path: token
{{- end }}
{{- if .integration.internalCertificates }}
- name: internal-certificates
  emptyDir: {}
{{- end }}
{{- if .shipsLogs }}
- name: logs
  emptyDir: {}
- name: fluentd-tmp
  emptyDir: {}
- name: fluentd-config
  downwardAPI:
    items:
      - path: fluent.conf
        fieldRef:
          fieldPath: metadata.annotations['tenon.dev/fluent.conf']
{{- end }}
{{- end }}
