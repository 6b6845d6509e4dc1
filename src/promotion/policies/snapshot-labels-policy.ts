import type { KubeObject } from "#kube";
import { promotionLabels } from "../kinds/promotion-names.ts";
import { mutatingPolicy, setLabel } from "./admission-policy.ts";

/** Every Snapshot carries its owner as a label, by which people and programs select. */
export const snapshotLabelsPolicy: readonly KubeObject[] = mutatingPolicy({
  name: "snapshot-labels.tenon.dev",
  resource: "snapshots",
  operations: ["CREATE"],
  mutations: [
    labelFrom("application", promotionLabels.application),
    labelFrom("componentGroup", promotionLabels.componentGroup),
  ],
});

function labelFrom(field: string, label: string) {
  return setLabel(label, `object.spec.${field}`, `has(object.spec) && has(object.spec.${field})`);
}
