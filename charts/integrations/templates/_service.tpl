{{/* By which the metrics of everything in the namespace that does not run on a schedule are found. */}}
{{- define "integrations.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: integrations
  labels:
    component: integration
spec:
  selector:
    component: integration
  ports:
    - name: http
      port: 80
      protocol: TCP
      targetPort: http
{{- end }}
