import type { ManagedPlace } from "../data/integration.ts";

/** The integrations of qontract-reconcile that can work on a part alone, by the argument that says which one. */
const builtIn: Readonly<Record<string, readonly string[]>> = {
  "--account-name": [
    "aws-account-manager",
    "aws-iam-keys",
    "aws-saml-idp",
    "aws-saml-roles",
    "terraform-aws-route53",
    "terraform-init",
    "terraform-resources",
    "terraform-tgw-attachments",
    "terraform-users",
    "terraform-vpc-peerings",
    "terraform-vpc-resources",
  ],
  "--cluster-name": [
    "dashdotdb-dvo",
    "endpoints-discovery",
    "openshift-namespaces",
    "openshift-namespaces-api",
    "openshift-prometheus-rules",
    "openshift-resources",
    "openshift-rhcs-certs",
    "openshift-routes",
    "openshift-vault-secrets",
    "prometheus-rules-tester",
  ],
  "--org-id": ["advanced-upgrade-scheduler", "ocm-addons-upgrade-scheduler-org", "ocm-upgrade-scheduler-org"],
};

/** The arguments by which an integration is told its shard: what its file says, else what is known of qontract-reconcile's. */
export function shardArgumentsOf({ integration, shardArguments }: ManagedPlace): readonly string[] {
  if (shardArguments) return shardArguments;
  return Object.keys(builtIn).filter((argument) => builtIn[argument]?.includes(integration));
}
