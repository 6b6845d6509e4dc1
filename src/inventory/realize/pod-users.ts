import { valueAt } from "#base";
import type { KubeObject } from "#kube";

/** Whether a pod uses a Secret or ConfigMap: in a volume, or in the environment of a container. */
export function usesObject(pod: KubeObject, { kind, name }: { readonly kind: string; readonly name: string }): boolean {
  const isSecret = kind === "Secret";
  const [volume, named] = isSecret ? ["secret", "secretName"] : ["configMap", "name"];
  const [fromAll, fromKey] = isSecret ? ["secretRef", "secretKeyRef"] : ["configMapRef", "configMapKeyRef"];
  const spec = valueAt(pod, ["spec"]);
  const volumes = listAt(spec, "volumes");
  if (volumes.some((item) => valueAt(item, [volume, named]) === name)) return true;
  const projected = volumes.flatMap((item) => listAt(valueAt(item, ["projected"]), "sources"));
  if (projected.some((item) => valueAt(item, [volume, "name"]) === name)) return true;
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")];
  return containers.some(
    (container) =>
      listAt(container, "envFrom").some((source) => valueAt(source, [fromAll, "name"]) === name) ||
      listAt(container, "env").some((item) => valueAt(item, ["valueFrom", fromKey, "name"]) === name),
  );
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const found = valueAt(value, [key]);
  return Array.isArray(found) ? found : [];
}
