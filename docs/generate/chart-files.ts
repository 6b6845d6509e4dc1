import { coupleRights, couplingKinds } from "#coupling";
import { type Kind, toCustomResourceDefinition } from "#crd";
import { manageRights } from "#integrations";
import {
  environmentClusterRole,
  environmentKinds,
  environmentPolicies,
  environmentViewerClusterRole,
  promoteParts,
  promoteRights,
  driverRights,
  promotionPolicies,
  Propagation,
  spaceBindingPolicy,
  spaceKinds,
  taskRunClaimPolicy,
  upstreamKinds,
} from "#promotion";
import { ownLease, ownServiceAccount, type Right, watchedNamespaces } from "#runtime";
import { toYaml } from "#golang";
import type { KubeObject } from "#kube";

const comment = (source: string) => `{{- /* From ${source}, by \`npm run docs\`. */}}\n`;

/** The kinds as templates of `charts/tenon`: Helm installs what is in `crds/` once and never upgrades it. */
export async function chartKinds(): Promise<string> {
  const parts = [
    [".Values.jobs.couple", couplingKinds],
    ['.Values.jobs.promote (has "propagation" .Values.promote.parts)', [Propagation]],
    ['.Values.jobs.promote (has "environments" .Values.promote.parts)', environmentKinds],
    ['(include "tenon.spaces" .)', spaceKinds],
    ['(include "tenon.snapshots" .) .Values.promote.konfluxKinds', upstreamKinds],
  ] as const;
  return [comment("src/coupling/kinds/ and src/promotion/kinds/"), ...parts.map(kindsOfJob)].join("");
}

function kindsOfJob([condition, kinds]: readonly [string, readonly Kind[]]): string {
  const definitions = kinds.map((kind) => {
    const { metadata, ...definition } = toCustomResourceDefinition(kind);
    const annotations = { ...metadata.annotations, "helm.sh/resource-policy": "keep" };
    // By way of JSON, as the API server would get it.
    return escape(toYaml(JSON.parse(JSON.stringify({ ...definition, metadata: { ...metadata, annotations } }))));
  });
  return `{{- if and .Values.crds.install ${condition} }}\n---\n${definitions.map((text) => text.trimEnd()).join("\n---\n")}\n{{- end }}\n`;
}

/** The policies that hold the rules of Konflux's kinds; those that fill in labels need Kubernetes 1.36. */
export async function chartPolicies(): Promise<string> {
  const served = '.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy"';
  return [
    comment("src/promotion/policies/"),
    '{{- if and .Values.crds.install (include "tenon.snapshots" .) }}\n---\n',
    `${policyDocuments(false)}\n{{- if ${served} }}\n---\n${policyDocuments(true)}\n{{- end }}\n{{- end }}\n`,
    `{{- if and .Values.crds.install (include "tenon.spaces" .) }}\n---\n${documents(spaceBindingPolicy)}\n{{- end }}\n`,
    '{{- if and .Values.crds.install .Values.jobs.promote (has "environments" .Values.promote.parts) }}\n',
    `---\n${documents(environmentPolicies)}\n`,
    `{{- if ${served} }}\n---\n${documents(taskRunClaimPolicy)}\n{{- end }}\n{{- end }}\n`,
  ].join("");
}

/** The roles of the accounts of environments, and of people who look into them. Tenon may bind them and cannot change them. */
export async function chartEnvironmentRole(): Promise<string> {
  return [
    comment("src/promotion/environments/install-environments.ts"),
    '{{- if and .Values.jobs.promote (has "environments" .Values.promote.parts) .Values.promote.environmentRole }}\n---\n',
    `${documents([environmentClusterRole, environmentViewerClusterRole])}\n{{- end }}\n`,
  ].join("");
}

function policyDocuments(isMutating: boolean): string {
  return documents(promotionPolicies.filter(({ kind }) => kind.startsWith("Mutating") === isMutating));
}

function documents(objects: readonly KubeObject[]): string {
  return objects.map((object) => escape(toYaml(JSON.parse(JSON.stringify(object)))).trimEnd()).join("\n---\n");
}

/** The rules of the roles of `charts/tenon`, a definition for each role. */
export async function chartRights(): Promise<string> {
  const roles = [
    ["couple.cluster", coupleRights, "cluster"],
    ["couple.watched", coupleRights, "watched namespaces"],
    ["couple.own", coupleRights, "own namespace"],
    ["manage.own", manageRights, "own namespace"],
    ["manage.target", manageRights, "target namespaces"],
    ...promoteParts.flatMap(
      (part) =>
        [
          [`promote.${part}.cluster`, promoteRights[part], "cluster"],
          [`promote.${part}.own`, promoteRights[part], "own namespace"],
        ] as const,
    ),
    ["dra", driverRights, "cluster"],
  ] as const;
  const definitions = roles.map(([name, rights, where]) => {
    const rules = rights.filter((right) => right.where === where).map(ruleOf);
    return `{{- define "tenon.rights.${name}" -}}\n${rules.join("\n")}\n{{- end }}\n`;
  });
  return [comment("couple-rights.ts, manage-rights.ts, promote-parts.ts and driver-rights.ts"), ...definitions].join(
    "\n",
  );
}

function ruleOf({ apiGroup, resources, verbs, names, why }: Right): string {
  return [
    `# To ${why}.`,
    `- apiGroups: [${apiGroup || '""'}]`,
    `  resources: [${resources.join(", ")}]`,
    ...(names ? namesIn(names) : []),
    `  verbs: [${verbs.join(", ")}]`,
  ].join("\n");
}

function namesIn(names: readonly string[]): string[] {
  if (!names.includes(watchedNamespaces)) return [`  resourceNames: [${names.map(nameOf).join(", ")}]`];
  return ["{{- with .Values.couple.namespaces }}", '  resourceNames: [{{ join ", " . }}]', "{{- end }}"];
}

function nameOf(name: string): string {
  if (name === ownLease) return '{{ include "tenon.coupleLease" . }}';
  return name === ownServiceAccount ? '{{ include "tenon.serviceAccountName" . }}' : name;
}

/** Helm would take braces in a description for its own. */
function escape(text: string): string {
  return text.replaceAll("{{", '{{ "{{" }}');
}
