import type { OpenshiftResource } from "../resource/openshift-resource.ts";

/** How much may be deleted before somebody is asked. */
export interface DeletionLimits {
  /** Deletions of one plan; default 50. */
  readonly count?: number;
  /** Their share of all that is wanted or deleted, from 0 to 1; default 0.5. Fewer than five deletions are always allowed. */
  readonly share?: number;
}

export interface Place {
  readonly cluster: string;
  readonly namespace: string;
  /** Which of the things that the integration manages it belongs to, as far as the object tells. */
  readonly attribution: string | undefined;
}

export interface PlanOptions {
  readonly integration: string;
  readonly integrationVersion: string;
  /** Who runs the integration, where several do; objects of the others are left alone. */
  readonly caller?: string | undefined;
  /** All that run it; an object of a caller that is none of these any more is taken over. */
  readonly allCallers?: readonly string[] | undefined;
  /** Under which name our fields are known on clusters; default `tenon`. */
  readonly fieldManager?: string | undefined;
  /** Owners whose objects are taken over. */
  readonly takeOverFrom?: readonly string[];
  readonly deletions?: DeletionLimits;
  /** Somebody has confirmed that the deletions are meant. */
  readonly deletionsConfirmed?: boolean;
  /** The things that are declared: one that has no objects at all any more, and is declared still, loses none. */
  readonly declared?: ReadonlySet<string>;
  /** What a narrowed run looks at; what it does not look at it never deletes. */
  readonly isVisible?: (place: Place) => boolean;
  /** To which of the things an object belongs; by default what its annotation says. */
  readonly attributionOf?: (resource: OpenshiftResource) => string | undefined;
}
