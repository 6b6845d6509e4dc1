import type { ManagedObject } from "#inventory";
import type { NamespaceData } from "../data/integration.ts";
import type { ParameterTrail } from "../parameters/parameter-trail.ts";

/** Everything that should run, decided from data alone: a value. */
export interface Desired {
  /** One for each namespace, in the order in which the data names them first. */
  readonly groups: readonly DesiredGroup[];
  /** What these integrations run as is neither changed nor deleted. */
  readonly errors: readonly IntegrationError[];
  readonly warnings: readonly IntegrationWarning[];
  /** The integrations that have a place in what this run looks at. */
  readonly declared: ReadonlySet<string>;
  /** Every namespace that an integration of this run's upstream has a place in, also those that a narrowed run does not look at. */
  readonly namespaces: readonly NamespaceData[];
  /** The upstreams of all integrations of the data, as callers: the default one for those that name none. */
  readonly callers: ReadonlySet<string>;
}

/** What should be in one namespace. */
export interface DesiredGroup {
  readonly namespace: NamespaceData;
  /** Each with the integration it belongs to as `attribution`; what several share has none. */
  readonly resources: readonly ManagedObject[];
  /** All kinds that were rendered: those that qontract-reconcile manages by their bare name, others as `Kind.group`. */
  readonly kinds: readonly string[];
  readonly parameters: ParameterTrail;
}

/** Something about one integration that a human must change. */
export interface IntegrationError {
  readonly integration: string;
  /** `file:line:column` as far as it is known. */
  readonly where?: string | undefined;
  readonly what: string;
  readonly next?: string | undefined;
  /** Path of the namespace it concerns; all of the integration's places when absent. */
  readonly namespace?: string | undefined;
  readonly cluster?: string | undefined;
}

/** Something that has no effect, or another one than it seems; the integration runs nevertheless. */
export type IntegrationWarning = IntegrationError;
