{{- /* From couple-rights.ts, manage-rights.ts, promote-parts.ts and driver-rights.ts, by `npm run docs`. */}}

{{- define "tenon.rights.couple.cluster" -}}
# To know the labels of namespaces, and which of them are being deleted.
- apiGroups: [""]
  resources: [namespaces]
{{- with .Values.couple.namespaces }}
  resourceNames: [{{ join ", " . }}]
{{- end }}
  verbs: [list, watch]
{{- end }}

{{- define "tenon.rights.couple.watched" -}}
# To watch plugs and sockets, and add finalizers to them.
- apiGroups: [integration.rock8s.com]
  resources: [plugs, sockets]
  verbs: [get, list, watch, patch]
# To delete the plugs of a deleted socket, where its deletionPolicy says so.
- apiGroups: [integration.rock8s.com]
  resources: [plugs]
  verbs: [delete]
# To watch DeferredResources.
- apiGroups: [integration.rock8s.com]
  resources: [deferredresources]
  verbs: [get, list, watch]
# To report their status.
- apiGroups: [integration.rock8s.com]
  resources: [plugs/status, sockets/status, deferredresources/status]
  verbs: [patch]
# To read and write as the service account of the plug, socket or DeferredResource that asks for it.
- apiGroups: [""]
  resources: [serviceaccounts]
  verbs: [impersonate]
# To say so if such an account does not exist.
- apiGroups: [""]
  resources: [serviceaccounts]
  verbs: [get]
# To notice changes; only metadata is requested.
- apiGroups: [""]
  resources: [configmaps, secrets]
  verbs: [list, watch]
# To store configs for decoupling, and results for applications.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, create, patch, delete]
# To watch the pods of apparatuses.
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
# To find the addresses of a Service that an endpoint names, and refuse one of type ExternalName.
- apiGroups: [""]
  resources: [services]
  verbs: [get]
# To find the pods of such a Service if it is headless.
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list]
# To record Events about plugs, sockets and DeferredResources.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end }}

{{- define "tenon.rights.couple.own" -}}
# To send apparatuses a token that identifies the caller.
- apiGroups: [""]
  resources: [serviceaccounts/token]
  resourceNames: [{{ include "tenon.serviceAccountName" . }}]
  verbs: [create]
# To read the key of the installation.
- apiGroups: [""]
  resources: [secrets]
  resourceNames: [tenon-installation]
  verbs: [get]
# To create the key of the installation.
- apiGroups: [""]
  resources: [secrets]
  verbs: [create]
# To be the one of several replicas that works.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ include "tenon.coupleLease" . }}]
  verbs: [get, update]
# To make the Lease of that.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}

{{- define "tenon.rights.manage.own" -}}
# To remember the namespaces that are managed, and what was applied.
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [tenon-managed-namespaces, tenon-history]
  verbs: [get, update]
# To create these ConfigMaps.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create]
# To know its own workload, which is changed last.
- apiGroups: [""]
  resources: [pods]
  verbs: [get]
# To know its own workload, which is changed last.
- apiGroups: [apps]
  resources: [deployments, replicasets]
  verbs: [get]
# To be the one of several replicas that works.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [tenon-manage]
  verbs: [get, update]
# To make the Lease of that.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}

{{- define "tenon.rights.manage.target" -}}
# To run integrations.
- apiGroups: [apps]
  resources: [deployments, statefulsets]
  verbs: [get, list, watch, create, patch, delete]
# To run integrations that have a schedule.
- apiGroups: [batch]
  resources: [cronjobs]
  verbs: [get, list, watch, create, patch, delete]
# To expose their metrics.
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch, create, patch, delete]
# To let the volumes of stateful integrations grow.
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [list, patch]
# To hand pods over when a Deployment has to be replaced.
- apiGroups: [apps]
  resources: [replicasets]
  verbs: [list, patch]
# To know how long a canary has been healthy, and what keeps a pod from running.
- apiGroups: [""]
  resources: [pods]
  verbs: [list]
# To leave replicas to an autoscaler.
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [list]
# To leave replicas to KEDA.
- apiGroups: [keda.sh]
  resources: [scaledobjects]
  verbs: [list]
{{- end }}

{{- define "tenon.rights.promote.builds.cluster" -}}
# To learn what is built, and which Snapshots are in use.
- apiGroups: [appstudio.redhat.com]
  resources: [applications, components, snapshots, releases]
  verbs: [get, list, watch]
# To make Snapshots of builds, and delete those that are no longer needed.
- apiGroups: [appstudio.redhat.com]
  resources: [snapshots]
  verbs: [create, patch, delete]
# To date candidates, and make a last Snapshot when a component is deleted.
- apiGroups: [appstudio.redhat.com]
  resources: [components]
  verbs: [patch]
# To note candidates, and what is wrong with a Snapshot or an Application.
- apiGroups: [appstudio.redhat.com]
  resources: [snapshots/status, components/status, applications/status]
  verbs: [patch]
# To notice when Tekton or releases are installed.
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [list, watch]
# To follow builds, and say on each what became of it.
- apiGroups: [tekton.dev]
  resources: [pipelineruns]
  verbs: [get, list, watch, patch]
# To know the namespaces of tenants, and whether Tekton Chains is installed; only metadata is requested.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list, watch]
# To find the Secret of a namespace that is labelled for a forge, and ask there whether a pull request is open.
- apiGroups: [""]
  resources: [secrets]
  verbs: [list]
# To know who declares a build, where --builds-port is set.
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
# To know whether that caller may create Snapshots.
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
# To notice Konflux's integration-service, beside which Tenon does not work.
- apiGroups: [apps]
  resources: [deployments]
  resourceNames: [integration-service-controller-manager]
  verbs: [list, watch]
# To notice it also where its Deployment has another name.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [03c7e15b.redhat.com]
  verbs: [list, watch]
{{- end }}

{{- define "tenon.rights.promote.builds.own" -}}
# To be the one of several replicas that works.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [tenon-promote-builds]
  verbs: [get, update]
# To make the Lease of that.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}

{{- define "tenon.rights.promote.tests.cluster" -}}
# To learn what is to be tested, and by which scenarios.
- apiGroups: [appstudio.redhat.com]
  resources: [snapshots, integrationtestscenarios, applications, componentgroups, releaseplans]
  verbs: [get, list, watch]
# To note the results of tests.
- apiGroups: [appstudio.redhat.com]
  resources: [snapshots, snapshots/status]
  verbs: [patch]
# To make a scenario part of its Application, with which it is deleted.
- apiGroups: [appstudio.redhat.com]
  resources: [integrationtestscenarios]
  verbs: [patch]
# To notice when Tekton or releases are installed.
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [list, watch]
# To run tests as pipelines.
- apiGroups: [tekton.dev]
  resources: [pipelineruns]
  verbs: [get, list, watch, create, patch]
# To read the results of pipelines.
- apiGroups: [tekton.dev]
  resources: [taskruns]
  verbs: [list]
# To resolve scenarios that name a whole PipelineRun.
- apiGroups: [resolution.tekton.dev]
  resources: [resolutionrequests]
  verbs: [get, create, delete]
# To run tests as Jobs.
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch, create, patch]
# To read the results of Jobs.
- apiGroups: [""]
  resources: [pods]
  verbs: [list]
# To read the templates of Jobs.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get]
# To give a namespace with scenarios the service account of its test runs, with an empty Secret for images.
- apiGroups: [""]
  resources: [serviceaccounts, secrets]
  verbs: [get, create]
# To bind that account to its ClusterRole.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [rolebindings]
  verbs: [get, create]
# To bind no other ClusterRole.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [clusterroles]
  resourceNames: [konflux-integration-runner]
  verbs: [bind]
# To learn the repository of a component, to which its results are reported.
- apiGroups: [appstudio.redhat.com]
  resources: [components]
  verbs: [list, watch]
# To learn that a repository wants no comments.
- apiGroups: [pipelinesascode.tekton.dev]
  resources: [repositories]
  verbs: [list]
# To find the Secret of a namespace that is labelled for a forge.
- apiGroups: [""]
  resources: [secrets]
  verbs: [list]
# To notice Konflux's integration-service, beside which Tenon does not work.
- apiGroups: [apps]
  resources: [deployments]
  resourceNames: [integration-service-controller-manager]
  verbs: [list, watch]
# To notice it also where its Deployment has another name.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [03c7e15b.redhat.com]
  verbs: [list, watch]
{{- end }}

{{- define "tenon.rights.promote.tests.own" -}}
# To be the one of several replicas that works.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [tenon-promote-tests]
  verbs: [get, update]
# To make the Lease of that.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}

{{- define "tenon.rights.promote.releases.cluster" -}}
# To learn what is released, and how.
- apiGroups: [appstudio.redhat.com]
  resources: [snapshots, releases, releaseplans, releaseplanadmissions]
  verbs: [get, list, watch]
# To release Snapshots that passed, and delete Releases that have expired.
- apiGroups: [appstudio.redhat.com]
  resources: [releases]
  verbs: [create, patch, delete]
# To note how far a Release is, and what is wrong with a plan.
- apiGroups: [appstudio.redhat.com]
  resources: [releases/status, releaseplans/status, releaseplanadmissions/status, snapshots/status]
  verbs: [patch]
# To say on a plan that its Application is missing, or that its mapping names no component.
- apiGroups: [appstudio.redhat.com]
  resources: [applications, components]
  verbs: [list, watch]
# To say on a plan that a quota is used up.
- apiGroups: [""]
  resources: [resourcequotas]
  verbs: [list, watch]
# To say on a plan that its service account is missing; only their metadata is asked for.
- apiGroups: [""]
  resources: [serviceaccounts]
  verbs: [list, watch]
# To give the policy of an admission to its pipeline.
- apiGroups: [appstudio.redhat.com]
  resources: [enterprisecontractpolicies]
  verbs: [get]
# To tell a managed pipeline where its policy is checked.
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [ec-defaults]
  verbs: [get]
# To trust authors only where policies hold them.
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingadmissionpolicies, validatingadmissionpolicybindings]
  resourceNames: [release-author.tenon.dev, release-plan-author.tenon.dev]
  verbs: [get]
# To notice when Tekton or the kinds of releases are installed.
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [list, watch]
# To run the pipelines of releases.
- apiGroups: [tekton.dev]
  resources: [pipelineruns]
  verbs: [get, list, watch, create, patch, delete]
# To learn which task failed.
- apiGroups: [tekton.dev]
  resources: [taskruns]
  verbs: [list]
# To say on a Release why its task failed.
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
# To let a managed pipeline read what it releases, while it runs.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [rolebindings]
  verbs: [create, delete]
# To bind no other ClusterRole.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [clusterroles]
  resourceNames: [release-pipeline-resource-role]
  verbs: [bind]
# To read credentials for registries, and keys, as the service account that a release plan names.
- apiGroups: [""]
  resources: [serviceaccounts]
  verbs: [impersonate]
# To learn which namespaces ask for a plan for each Application.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list, watch]
# To note on an Application that it got its plan.
- apiGroups: [appstudio.redhat.com]
  resources: [applications]
  verbs: [get, list, watch, patch]
# To say on an Application why it got none.
- apiGroups: [appstudio.redhat.com]
  resources: [applications/status]
  verbs: [patch]
# To give an Application the plan that its namespace asks for, with the author that the namespace names.
- apiGroups: [appstudio.redhat.com]
  resources: [releaseplans]
  verbs: [get, list, create, attribute]
# To notice when Applications can exist.
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [list, watch]
# To notice Konflux's integration-service and release-service, beside which Tenon does not work.
- apiGroups: [apps]
  resources: [deployments]
  resourceNames: [integration-service-controller-manager, release-service-controller-manager]
  verbs: [list, watch]
# To notice it also where its Deployment has another name.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [03c7e15b.redhat.com, f3d4c01a.redhat.com]
  verbs: [list, watch]
{{- end }}

{{- define "tenon.rights.promote.releases.own" -}}
# To read the settings of all releases.
- apiGroups: [appstudio.redhat.com]
  resources: [releaseserviceconfigs]
  resourceNames: [release-service-config]
  verbs: [get, list, watch]
# To be the one of several replicas that works.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [tenon-promote-releases]
  verbs: [get, update]
# To make the Lease of that.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}

{{- define "tenon.rights.promote.propagation.cluster" -}}
# To watch Propagations.
- apiGroups: [tenon.dev]
  resources: [propagations]
  verbs: [get, list, watch]
# To report their status, which is also the memory of their branches.
- apiGroups: [tenon.dev]
  resources: [propagations/status]
  verbs: [patch]
# To notice at once what the plan of a Propagation has released.
- apiGroups: [appstudio.redhat.com]
  resources: [releases]
  verbs: [list, watch]
# To read Secrets and health as the service account that a Propagation names.
- apiGroups: [""]
  resources: [serviceaccounts]
  verbs: [impersonate]
# To notice when the kind is installed.
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [list, watch]
{{- end }}

{{- define "tenon.rights.promote.propagation.own" -}}
# To be the one of several replicas that works.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [tenon-promote]
  verbs: [get, update]
# To make the Lease of that.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}

{{- define "tenon.rights.promote.environments.cluster" -}}
# To learn which environments are asked for, and keep a claim until its environment is gone.
- apiGroups: [tenon.dev]
  resources: [ephemeralclaims, ephemeralclasses]
  verbs: [get, list, watch, patch]
# To name the run of a claim as its owner, which some clusters allow only with this right.
- apiGroups: [tenon.dev]
  resources: [ephemeralclaims]
  verbs: [delete]
# To say how far a claim is.
- apiGroups: [tenon.dev]
  resources: [ephemeralclaims/status]
  verbs: [patch]
# To make the claims of SpaceRequests.
- apiGroups: [tenon.dev]
  resources: [ephemeralclaims]
  verbs: [create]
# To learn which spaces are asked for, and who may use them.
- apiGroups: [toolchain.dev.openshift.com]
  resources: [spacerequests, spacebindings]
  verbs: [get, list, watch]
# To say how far a space is.
- apiGroups: [toolchain.dev.openshift.com]
  resources: [spacerequests/status, spacebindings/status]
  verbs: [patch]
# To keep a SpaceRequest until its claim is gone, for those who wait for that; some clusters ask for this right.
- apiGroups: [toolchain.dev.openshift.com]
  resources: [spacerequests/finalizers]
  verbs: [update]
# To give people roles in spaces only where a policy checks who asked for it.
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingadmissionpolicies, validatingadmissionpolicybindings]
  resourceNames: [space-bindings.tenon.dev]
  verbs: [get]
# To make environments, and remove those that it made.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get, list, watch, create, delete]
# To end the pods of an environment in time, which may ask for a long grace; only metadata is requested.
- apiGroups: [""]
  resources: [pods]
  verbs: [list, delete]
# To give an environment its account and its bounds.
- apiGroups: [""]
  resources: [serviceaccounts, resourcequotas, limitranges]
  verbs: [create, patch]
# To keep environments apart from everything else.
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [create, patch]
# To make the token of an environment useless before it is removed.
- apiGroups: [""]
  resources: [serviceaccounts]
  resourceNames: [tenon-environment]
  verbs: [delete]
# To make tokens for environments, and for no other account.
- apiGroups: [""]
  resources: [serviceaccounts/token]
  resourceNames: [tenon-environment]
  verbs: [create]
# To give an environment's account its rights.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [rolebindings]
  verbs: [create, patch]
# To take them away before the environment is removed, and from people whose SpaceBinding is deleted.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [rolebindings]
  resourceNames: [tenon-environment, tenon-space-admin, tenon-space-viewer]
  verbs: [delete]
# To see which people have a role in a space.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [rolebindings]
  resourceNames: [tenon-space-admin, tenon-space-viewer]
  verbs: [get]
# To bind no other ClusterRoles.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [clusterroles]
  resourceNames: [tenon-environment, tenon-environment-viewer]
  verbs: [bind]
# To give a claim its kubeconfig, and copy Secrets for images that are labelled for it.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch, create, patch, delete]
# To end an environment with its run.
- apiGroups: [tekton.dev]
  resources: [pipelineruns, taskruns]
  verbs: [get, list, watch]
# To end an environment with its Job.
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch]
# To notice when Tekton or the kinds of environments are installed.
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [list, watch]
{{- end }}

{{- define "tenon.rights.promote.environments.own" -}}
# To be the one of several replicas that works.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [tenon-promote-environments]
  verbs: [get, update]
# To make the Lease of that.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}

{{- define "tenon.rights.dra" -}}
# To learn what the scheduler gave a claim.
- apiGroups: [resource.k8s.io]
  resources: [resourceclaims]
  verbs: [get]
# To publish the slots of the node.
- apiGroups: [resource.k8s.io]
  resources: [resourceslices]
  verbs: [list, watch, create, patch]
# To know the container runtime of the node.
- apiGroups: [""]
  resources: [nodes]
  verbs: [get, list, watch]
# To know the PipelineRun of a pod; only metadata is requested.
- apiGroups: [""]
  resources: [pods]
  verbs: [get]
# To know how long tokens are valid, and how pods reach the API server.
- apiGroups: [tenon.dev]
  resources: [ephemeralclasses]
  verbs: [get]
# To claim environments, and give them back.
- apiGroups: [tenon.dev]
  resources: [ephemeralclaims]
  verbs: [get, create, delete]
# To make tokens for environments, and for no other account.
- apiGroups: [""]
  resources: [serviceaccounts/token]
  resourceNames: [tenon-environment]
  verbs: [create]
{{- end }}
