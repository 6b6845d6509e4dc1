/** The kinds that OpenShift served as `v1` before its API had groups, and where they are now. */
const kindsByGroup: Readonly<Record<string, string>> = {
  "apps.openshift.io": "DeploymentConfig DeploymentConfigList DeploymentConfigRollback DeploymentLog DeploymentRequest",
  "authorization.openshift.io":
    "ClusterRole ClusterRoleList ClusterRoleBinding ClusterRoleBindingList LocalResourceAccessReview LocalSubjectAccessReview " +
    "ResourceAccessReview Role RoleList RoleBinding RoleBindingList RoleBindingRestriction RoleBindingRestrictionList " +
    "SelfSubjectRulesReview SubjectAccessReview SubjectRulesReview",
  "build.openshift.io": "BinaryBuildRequestOptions Build BuildList BuildConfig BuildConfigList BuildLog BuildRequest",
  "image.openshift.io":
    "Image ImageList ImageSignature ImageStream ImageStreamList ImageStreamImage ImageStreamImport ImageStreamMapping " +
    "ImageStreamTag ImageStreamTagList",
  "network.openshift.io":
    "ClusterNetwork ClusterNetworkList EgressNetworkPolicy EgressNetworkPolicyList HostSubnet HostSubnetList " +
    "NetNamespace NetNamespaceList",
  "oauth.openshift.io":
    "OAuthAccessToken OAuthAccessTokenList OAuthAuthorizeToken OAuthAuthorizeTokenList OAuthClient OAuthClientList " +
    "OAuthClientAuthorization OAuthClientAuthorizationList",
  "project.openshift.io": "Project ProjectList ProjectRequest",
  "quota.openshift.io":
    "AppliedClusterResourceQuota AppliedClusterResourceQuotaList ClusterResourceQuota ClusterResourceQuotaList",
  "route.openshift.io": "Route RouteList",
  "security.openshift.io":
    "PodSecurityPolicyReview PodSecurityPolicySelfSubjectReview PodSecurityPolicySubjectReview " +
    "SecurityContextConstraints SecurityContextConstraintsList",
  "template.openshift.io": "Template TemplateList",
  "user.openshift.io": "Group GroupList Identity IdentityList User UserList UserIdentityMapping",
};

const groups: ReadonlyMap<string, string> = new Map(
  Object.entries(kindsByGroup).flatMap(([group, kinds]) => kinds.split(" ").map((kind) => [kind, group] as const)),
);

/** The API version by which a cluster of today serves a kind that was written for a group-less `v1`. */
export function groupedApiVersion(apiVersion: string, kind: string): string {
  const group = groups.get(kind);
  return group === undefined || apiVersion.includes("/") ? apiVersion : `${group}/${apiVersion}`;
}
