/** Bytes of an image under the name that their contents give them. */
export interface ImageBlob {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

/** An image as registries and archives hold it. */
export interface BuiltImage {
  /** `repository:tag` as users write it. */
  readonly name: string;
  readonly manifest: ImageBlob;
  readonly config: ImageBlob;
  readonly layers: readonly ImageBlob[];
  /** The manifest's, by which the image is pulled; equal inputs give an equal one. */
  readonly digest: string;
}

/** The name in full, as container runtimes store it: `tenon:1` is `docker.io/library/tenon:1`. */
export function fullImageName(name: string): string {
  const [first = "", ...rest] = name.split("/");
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const path = hasHost ? name : rest.length > 0 ? `docker.io/${name}` : `docker.io/library/${name}`;
  return /[:@][^/]*$/.test(path) ? path : `${path}:latest`;
}
