import type { Socket } from "../kinds/index.ts";

/**
 * The secret values of a socket that plugs of every namespace can read, in a sentence; undefined if there are none, or if the
 * owner wrote `allowedPlugs.namespaces: All`. Decided by the spec alone: which keys a Secret has is not known.
 */
export function findOpenSecrets(socket: Socket): string | undefined {
  const values = isOpenToAll(socket) ? [...openValues(socket)] : [];
  if (values.length === 0) return undefined;
  return `plugs of every namespace can read ${values.join("; ")}; restrict them with spec.allowedPlugs, hide config keys with plugVisible: false in spec.interface.config.socket, or write spec.allowedPlugs.namespaces: All if it is meant`;
}

function isOpenToAll({ spec: { allowedPlugs, validation } }: Socket): boolean {
  const { namespaces, serviceAccounts } = allowedPlugs ?? {};
  const isLimited = serviceAccounts?.every((account) => account.includes("/")) === true;
  return namespaces === undefined && !isLimited && (validation?.namespaceWhitelist ?? []).length === 0;
}

function* openValues({ spec }: Socket): Iterable<string> {
  const { config = {}, configTemplate = {}, configSecretName, dataSecretName, resultSecretName, vars = [] } = spec;
  const declared = spec.interface?.config?.socket;
  const visible = Object.entries(declared ?? {}).filter(([, property]) => property?.plugVisible !== false);
  const isFromSecret = ([key]: readonly [string, unknown]): boolean =>
    !Object.hasOwn(config, key) && !Object.hasOwn(configTemplate, key);
  if (configSecretName) {
    const keys = visible.filter(isFromSecret).map(([key]) => key);
    if (!declared) yield `Secret ${configSecretName} (spec.configSecretName), as the interface declares no keys`;
    else if (keys.length > 0)
      yield `${keys.toSorted().join(", ")} of Secret ${configSecretName} (spec.configSecretName)`;
  }
  if (dataSecretName) yield `Secret ${dataSecretName} (spec.dataSecretName)`;
  if (resultSecretName) yield `Secret ${resultSecretName} (spec.resultSecretName)`;
  const sensitive = visible.filter(([, property]) => property?.sensitive).map(([key]) => `config key ${key}`);
  const results = Object.entries(spec.interface?.result?.socket ?? {})
    .filter(([, property]) => property?.sensitive)
    .map(([key]) => `result key ${key}`);
  const marked = [...sensitive, ...results].toSorted();
  if (marked.length > 0) yield `${marked.join(", ")} (sensitive)`;
  const secretVars = vars.filter(({ objref }) => objref.kind === "Secret").map(({ name }) => `vars.${name}`);
  const isVisible = (key: string): boolean => !declared || visible.some(([each]) => each === key);
  const computed = Object.entries(configTemplate)
    .filter(([key, text]) => isVisible(key) && secretVars.some((name) => text.includes(name)))
    .map(([key]) => key);
  if (computed.length > 0) yield `config key ${computed.toSorted().join(", ")}, computed from a Secret`;
}
