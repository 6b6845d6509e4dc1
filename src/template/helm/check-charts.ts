import { InputError } from "#base";
import { satisfiesConstraint } from "#golang";
import type { Chart } from "./chart/chart.ts";

/** Refuses what `helm template` refuses before it renders anything. */
export function checkCharts({ metadata, dependencies, origin }: Chart, releaseName: string): void {
  if (metadata.type !== "" && metadata.type !== "application") {
    throw new InputError(`${metadata.name} is a ${metadata.type} chart: there is nothing in it to render`, {
      where: origin,
      next: "render a chart that depends on it",
    });
  }
  const missing = (metadata.dependencies ?? [])
    .map(({ name }) => name)
    .filter((name) => !dependencies.some((dependency) => dependency.metadata.name === name));
  if (missing.length > 0) {
    throw new InputError(`Chart.yaml mentions dependencies that charts/ does not hold: ${missing.join(", ")}`, {
      where: origin,
      next: "run `helm dependency build` there",
    });
  }
  checkReleaseName(releaseName);
}

const longestReleaseName = 53;

function checkReleaseName(name: string): void {
  const isValid = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
  if (isValid && name.length <= longestReleaseName) return;
  throw new InputError(`${JSON.stringify(name)} cannot be the name of a release`, {
    next: `use small letters, digits and -, and at most ${longestReleaseName} of them`,
  });
}

export function checkKubeVersion({ metadata, origin }: Chart, kubeVersion: string): void {
  const { kubeVersion: required } = metadata;
  if (required === "" || satisfiesConstraint(kubeVersion, required)) return;
  throw new InputError(`the chart requires Kubernetes ${required}, and this is for ${kubeVersion}`, {
    where: origin,
    next: "use another version of the chart, or name the cluster's version",
  });
}
