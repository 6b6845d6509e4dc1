interface Ref {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

interface Selection {
  readonly apiVersion: string;
  readonly kind: string;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

/**
 * As much of a Kubernetes client as installing needs. What the API server refuses has its `status`, and where others manage
 * a field also `conflicts`.
 */
export interface CrdApi {
  find(ref: Ref, signal?: AbortSignal): Promise<unknown>;
  /** Server-side apply, with strict field validation. */
  apply(
    object: Manifest,
    options: { readonly fieldManager: string; readonly force?: boolean },
    signal?: AbortSignal,
  ): Promise<unknown>;
  pages(
    selection: Selection,
    options?: { readonly limit?: number },
    signal?: AbortSignal,
  ): AsyncIterable<{ readonly items: readonly unknown[] }>;
}
