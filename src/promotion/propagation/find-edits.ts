import type { SourceEntry, SourceNode, SourceScalar } from "#yaml";
import {
  type AdvertisedImage,
  readReference,
  type RegistryAliases,
  type WrittenReference,
} from "./advertised-image.ts";

/** One replacement in a text. */
export interface TextEdit {
  readonly image: AdvertisedImage;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The digest that the reference had. */
  readonly digestBefore: string | undefined;
}

/** A reference to an advertised image that cannot be edited, and why. */
export interface RefusedReference {
  readonly image: AdvertisedImage;
  readonly start: number;
  readonly reason: string;
}

export function isRefused(found: TextEdit | RefusedReference): found is RefusedReference {
  return "reason" in found;
}

/**
 * Every reference to an advertised image in YAML documents, also those that have its digest already: texts `repository:tag[@digest]`, entries of kustomize's `images`, and maps of Helm
 * values with a `repository` and a `tag`. A reference with another tag is not one of them.
 */
export function findEdits(
  roots: readonly SourceNode[],
  images: readonly AdvertisedImage[],
  aliases: RegistryAliases,
): (TextEdit | RefusedReference)[] {
  const found = new Map<number, TextEdit | RefusedReference>();
  const search = new ReferenceSearch(images, aliases, (one) => {
    found.set(one.start, one);
  });
  for (const root of roots) search.visit(root, undefined);
  return [...found.values()].toSorted((a, b) => a.start - b.start);
}

type Fields = ReadonlyMap<string, SourceEntry>;

function textOf(fields: Fields, key: string): string | undefined {
  const value = fields.get(key)?.value;
  return value?.kind === "scalar" && value.value !== "" ? value.value : undefined;
}

/** Where a node is: the value of a field `image`, or in the list of a field `images`. */
type Place = "image" | "images" | undefined;

function placeOf({ key, value }: SourceEntry): Place {
  if (key === "image") return key;
  return key === "images" && value.kind === "list" ? key : undefined;
}

class ReferenceSearch {
  readonly #images: readonly AdvertisedImage[];
  readonly #aliases: RegistryAliases;
  readonly #report: (found: TextEdit | RefusedReference) => void;
  readonly #visited = new Set<SourceNode>();

  constructor(
    images: readonly AdvertisedImage[],
    aliases: RegistryAliases,
    report: (found: TextEdit | RefusedReference) => void,
  ) {
    this.#images = images;
    this.#aliases = aliases;
    this.#report = report;
  }

  /** Aliases lead to nodes that were visited where they are written. */
  visit(node: SourceNode, place: Place): void {
    if (this.#visited.has(node)) return;
    this.#visited.add(node);
    if (node.kind === "scalar") this.#wholeReference(node, place);
    else if (node.kind === "list") {
      for (const item of node.items) this.visit(item, place === "images" ? place : undefined);
    } else {
      const fields = new Map(node.entries.map((entry) => [entry.key, entry]));
      if (place === "images") this.#kustomizeImage(fields);
      this.#helmValues(fields);
      for (const entry of node.entries) this.visit(entry.value, placeOf(entry));
    }
  }

  /** `repository:tag`, with or without a digest; Argo CD writes `name=repository:tag` for kustomize. */
  #wholeReference(scalar: SourceScalar, place: Place): void {
    const written = scalar.value.slice(scalar.value.indexOf("=") + 1);
    const reference = readReference(written, this.#aliases);
    if (!reference) return;
    if (reference.tag === undefined) {
      this.#withoutTag(scalar, reference, place);
      return;
    }
    const image = this.#imageOf(reference.repository, reference.tag);
    if (!image) return;
    const at = scalar.value.lastIndexOf("@");
    const name = reference.digest === undefined ? scalar.value : scalar.value.slice(0, at);
    this.#replace(scalar, `${name}@${image.digest}`, image, reference.digest, false);
  }

  /** Which tag it should follow is not written; a name alone is a reference only in a field `image`. */
  #withoutTag({ start }: SourceScalar, { repository, digest }: WrittenReference, place: Place): void {
    const image = this.#images.find((one) => one.repository === repository);
    if (!image || (digest === undefined && place !== "image")) return;
    this.#report({ image, start, reason: `the reference has no tag; write it as ${repository}:${image.tag}` });
  }

  /** https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/images/, which Flux has too. */
  #kustomizeImage(fields: Fields): void {
    const name = textOf(fields, "newName") ?? textOf(fields, "name");
    if (name !== undefined) this.#separateFields(name, fields.get("newTag"), fields.get("digest"));
  }

  #helmValues(fields: Fields): void {
    const repository = textOf(fields, "repository");
    const tag = fields.get("tag") ?? fields.get("version");
    if (repository === undefined || tag === undefined) return;
    const registry = textOf(fields, "registry");
    const name = registry === undefined ? repository : `${registry}/${repository}`;
    this.#separateFields(name, tag, fields.get("digest") ?? fields.get("sha"));
  }

  /** A reference whose parts have fields of their own. The digest goes into its field if there is one, else behind the tag. */
  #separateFields(name: string, tagField: SourceEntry | undefined, digestField: SourceEntry | undefined): void {
    const tag = tagField?.value.kind === "scalar" ? tagField.value : undefined;
    const digest = digestField?.value.kind === "scalar" ? digestField.value : undefined;
    const [tagName, tagDigest] = tag?.value.split("@") ?? [];
    const reference = readReference(name, this.#aliases);
    if (!reference || reference.tag !== undefined) return;
    const image = this.#imageOf(reference.repository, tagName || undefined);
    if (!image) return;
    // A field without a value, `digest:`, has no place in the text.
    if (digest && digestField && (digest.value !== "" || !digest.isPlain)) {
      const isBare = digestField.key === "sha" && !digest.value.startsWith("sha256:");
      const replacement = isBare ? image.digest.replace(/^sha256:/, "") : image.digest;
      this.#replace(digest, replacement, image, digest.value || undefined, digestField.isShared || digest.hasAnchor);
    } else if (tag && tagField && tagName !== undefined && tagName !== "") {
      const isShared = tagField.isShared || tag.hasAnchor;
      this.#replace(tag, `${tagName}@${image.digest}`, image, tagDigest, isShared);
    }
  }

  /** The advertised image of that repository and tag. A reference by digest alone follows the only tag that is advertised. */
  #imageOf(repository: string, tag: string | undefined): AdvertisedImage | undefined {
    const candidates = this.#images.filter((image) => image.repository === repository);
    if (tag !== undefined) return candidates.find((image) => image.tag === tag);
    return candidates.length === 1 ? candidates[0] : undefined;
  }

  #replace(
    scalar: SourceScalar,
    replacement: string,
    image: AdvertisedImage,
    digestBefore: string | undefined,
    isShared: boolean,
  ): void {
    const { start, end } = scalar;
    if (isShared) {
      const reason = "other fields share this value by an alias; write it out where it is used";
      this.#report({ image, start, reason });
    } else if (!scalar.isVerbatim) {
      this.#report({ image, start, reason: "the reference is written with escapes or over several lines" });
    } else this.#report({ image, start, end, replacement, digestBefore });
  }
}
