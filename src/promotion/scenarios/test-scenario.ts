import { isRecord } from "#base";
import type { KubeObject } from "#kube";
import { promotionLabels } from "../kinds/promotion-names.ts";
import { ownerIn, type SnapshotOwner, type TestedSnapshot } from "./tested-snapshot.ts";

export interface ResolverParameter {
  readonly name: string;
  readonly value: string;
}

/** A parameter as an IntegrationTestScenario gives it. */
export interface ScenarioParameter {
  readonly name: string;
  readonly value?: string;
  readonly values?: readonly string[];
}

/** An IntegrationTestScenario as test runs see it. */
export interface TestScenario {
  readonly name: string;
  readonly owner: SnapshotOwner | undefined;
  /** Its failure does not count. */
  readonly isOptional: boolean;
  readonly contexts: readonly string[];
  readonly resolver: string;
  readonly resolverParameters: readonly ResolverParameter[];
  /** A whole PipelineRun is resolved, and not only its pipeline. */
  readonly resolvesRun: boolean;
  readonly parameters: readonly ScenarioParameter[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: string;
}

/** Reads a scenario without validating it, as `readSnapshot` does; what is not of its type is left out. */
export function readScenario({ metadata, spec }: KubeObject): TestScenario {
  const { resolverRef, params, contexts } = isRecord(spec) ? spec : {};
  const reference = isRecord(resolverRef) ? resolverRef : {};
  const { labels = {}, annotations = {}, creationTimestamp = "" } = metadata;
  return {
    name: metadata.name,
    owner: ownerIn(spec),
    isOptional: labels[promotionLabels.optional] === "true",
    contexts: records(contexts).flatMap(({ name }) => (typeof name === "string" ? [name] : [])),
    resolver: textOr(reference["resolver"], ""),
    resolverParameters: records(reference["params"]).flatMap(({ name, value }) =>
      typeof name === "string" && typeof value === "string" ? [{ name, value }] : [],
    ),
    resolvesRun: textOr(reference["resourceKind"], "").toLowerCase() === "pipelinerun",
    parameters: records(params).flatMap(({ name, value, values }) =>
      typeof name === "string"
        ? [{ name, ...(typeof value === "string" ? { value } : {}), ...(isTexts(values) ? { values } : {}) }]
        : [],
    ),
    annotations,
    labels,
    createdAt: creationTimestamp,
  };
}

/** Whether the scenario tests the Snapshot: it has no contexts, or one of them matches. An unknown word matches nothing. */
export function appliesTo({ contexts }: Pick<TestScenario, "contexts">, snapshot: TestedSnapshot): boolean {
  return contexts.length === 0 || contexts.some((context) => matchesContext(context, snapshot));
}

function matchesContext(context: string, { type, component, isPush }: TestedSnapshot): boolean {
  switch (context) {
    case "application":
    case "all":
      return true;
    case "component":
    case "group":
    case "override":
      return type === context;
    case "push":
      return isPush;
    case "pull_request":
      return !isPush;
    default:
      return component !== undefined && context === `component_${component}`;
  }
}

function records(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
