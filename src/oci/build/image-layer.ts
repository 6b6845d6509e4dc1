/** Something at an absolute path of an image. Everything belongs to root unless it says otherwise. */
export type LayerEntry =
  | { readonly path: string; readonly contents: string | Uint8Array; readonly mode?: number }
  /** A file of this machine; without a mode it is executable if it is here. */
  | { readonly path: string; readonly copyOf: string; readonly mode?: number }
  | { readonly path: string; readonly linkTo: string }
  /** Only where a folder needs a mode or an owner of its own, or is empty; the others come by themselves. */
  | { readonly path: string; readonly directory: true; readonly mode?: number; readonly owner?: number };

/** Files that change together. Equal layers of two images are stored and pulled once. */
export interface ImageLayer {
  /** What it is, in the image's history. */
  readonly comment: string;
  readonly entries: readonly LayerEntry[];
}
