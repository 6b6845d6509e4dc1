import { InputError } from "#base";
import { isDigest } from "./digest.ts";

/** A repository of a registry, by their full names: `docker.io` and `library/alpine`. */
export interface RepositoryName {
  /** Host, with its port if it has one. */
  readonly registry: string;
  readonly repository: string;
}

/** An image by name. With both a tag and a digest, the digest says which image is meant. */
export interface ImageReference extends RepositoryName {
  readonly tag?: string;
  readonly digest?: string;
}

const dockerHub = "docker.io";
/** Other hosts of Docker Hub, which credentials and older references name. */
const dockerHubHosts: ReadonlySet<string> = new Set(["index.docker.io", "registry-1.docker.io"]);

/** https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests */
const pathComponent = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*$/;
const tagName = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const host = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/;
const longestRepository = 255;

/** Reads `[host[:port]/]repository[:tag][@digest]`; names without a host are those of Docker Hub. */
export function parseImageReference(text: string): ImageReference {
  const where = text;
  const [, scheme] = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\//.exec(text) ?? [];
  if (scheme !== undefined) {
    throw new InputError(`an image reference has no scheme, got ${scheme}://`, {
      where,
      next: `write it without ${scheme}://, like quay.io/acme/web:1.0`,
    });
  }
  const [name = "", digest, ...more] = text.split("@");
  if (more.length > 0 || (digest !== undefined && !isDigest(digest))) {
    throw new InputError(`${JSON.stringify(text.slice(name.length + 1))} is not a valid digest`, {
      where,
      next: "write it like @sha256: and 64 lower case hexadecimal digits",
    });
  }
  const colon = name.indexOf(":", name.lastIndexOf("/") + 1);
  const path = colon < 0 ? name : name.slice(0, colon);
  const tag = colon < 0 ? undefined : parseTag(name.slice(colon + 1), where);
  return {
    ...splitName(path, where),
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Refuses a text that no registry accepts as a tag. */
export function parseTag(text: string, where?: string): string {
  if (tagName.test(text)) return text;
  throw new InputError(`${JSON.stringify(text)} is not a valid tag`, {
    ...(where === undefined ? {} : { where }),
    next: "use at most 128 letters, digits, _ . and -, and no . or - at the start",
  });
}

/** The full name, which `parseImageReference` reads back: `docker.io/library/alpine:3`. */
export function formatImageReference(reference: ImageReference): string {
  const { tag, digest } = reference;
  return `${formatRepository(reference)}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;
}

/** The full name of a repository. */
export function formatRepository({ registry, repository }: RepositoryName): string {
  return `${registry}/${repository}`;
}

/** `docker.io` for each of Docker Hub's hosts; host names are not case-sensitive. */
export function registryName(name: string): string {
  const lower = name.toLowerCase();
  return dockerHubHosts.has(lower) ? dockerHub : lower;
}

/** Where the registry serves its API. */
export function apiHost(registry: string): string {
  return registry === dockerHub ? "registry-1.docker.io" : registry;
}

function splitName(path: string, where: string): RepositoryName {
  const slash = path.indexOf("/");
  const first = slash < 0 ? "" : path.slice(0, slash);
  const hasHost = /[.:[]/.test(first) || first.toLowerCase() === "localhost";
  if (hasHost && !host.test(first)) {
    throw new InputError(`${JSON.stringify(first)} is not a valid registry host`, {
      where,
      next: "write it like quay.io/acme/web:1.0 or localhost:5000/web:1.0",
    });
  }
  const registry = hasHost ? registryName(first) : dockerHub;
  const given = hasHost ? path.slice(slash + 1) : path;
  const repository = registry === dockerHub && !given.includes("/") ? `library/${given}` : given;
  const isValid =
    repository.length <= longestRepository && repository.split("/").every((part) => pathComponent.test(part));
  if (given !== "" && isValid) return { registry, repository };
  throw new InputError(`${JSON.stringify(given)} is not a valid repository name`, {
    where,
    next: "use lower case letters and digits, with . _ - and / between them",
  });
}
