import { namespaceOf, type Pair, type Plug, selectorText, workloadVersion } from "../kinds/index.ts";
import { bindingKeys } from "../lifecycle/result-secret.ts";
import type { ResolvedResults, SourceReader } from "../sources/resolved.ts";
import { plainTexts } from "../sources/template-data.ts";
import { defaultMountPath } from "./binding-fields.ts";

/** A workload that would get the binding. */
export interface PlannedMount {
  readonly kind: string;
  readonly namespace: string;
  /** The name, or the labels if `spec.workload` has a selector. */
  readonly name: string;
  /** The directory of the files, in containers that do not set SERVICE_BINDING_ROOT themselves. */
  readonly path: string;
  /** False: there is no workload of the name yet. Absent if it is not known. */
  readonly exists?: boolean;
}

/** The workload is read as the plug's service account, which needs that right anyway. */
export async function plannedMount(
  plug: Plug,
  reader: SourceReader,
  signal: AbortSignal,
): Promise<PlannedMount | undefined> {
  const { workload } = plug.spec;
  if (!workload) return undefined;
  const { kind, name, selector = {}, mountPath = defaultMountPath } = workload;
  const place = { kind, namespace: namespaceOf(plug) };
  const path = `${mountPath}/${plug.metadata.name}`;
  if (name === undefined) return { ...place, name: selectorText(selector), path };
  const found = await reader.read({ apiVersion: workloadVersion(kind), ...place, name }, signal);
  return { ...place, name, path, exists: found !== undefined };
}

/** The keys of `spec.workload.env` that the binding lacks. */
export function findAbsentKeys(pair: Pair, { plugResult, socketResult }: ResolvedResults): string[] {
  const keys = bindingKeys(pair, { ...plainTexts(plugResult), ...plainTexts(socketResult) });
  return (pair.plug.spec.workload?.env ?? []).flatMap(({ key }, index) =>
    keys.includes(key) ? [] : [`spec.workload.env[${index}].key: the binding has no key ${key}`],
  );
}
