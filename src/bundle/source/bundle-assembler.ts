import { hash } from "node:crypto";
import { InputError, type JsonValue } from "#base";
import type { GitCommit } from "#git";
import type { Bundle, Datafile, GivenDescription, ResourceFile, UnreadableFile } from "../bundle.ts";
import { builtInDescription, builtInIdentity, builtInSchemas } from "../schema/built-in.ts";
import { parseTypeDescriptions, type TypeDescription } from "../type-description.ts";
import type { KnownFile } from "./tree-cache.ts";

/** Schemas and types. Consecutive bundles share them while their files are unchanged. */
interface Model {
  readonly identity: string;
  readonly schemas: ReadonlyMap<string, JsonValue>;
  readonly types: readonly TypeDescription[];
  readonly description?: GivenDescription;
  readonly problems: readonly InputError[];
}

/** Makes bundles from files. Unchanged parts are the same objects in the next bundle, so that caches can use them as keys. */
export class BundleAssembler {
  #model: Model | undefined;
  #last: Bundle | undefined;

  /** Schemas and types of the files replace the built-in ones of the same path or name, and later files those of earlier ones. */
  assemble(
    files: readonly KnownFile[],
    commit: GitCommit | undefined,
  ): { readonly bundle: Bundle; readonly problems: readonly InputError[] } {
    const problems = files.flatMap(({ parse }) => {
      const outcome = parse();
      return "error" in outcome ? [outcome.error] : [];
    });
    const model = this.#assembleModel(files);
    const identity = identify(files);
    if (this.#last?.identity !== identity || this.#last.gitCommit !== commit?.hash) {
      const { schemas, types, description } = model;
      const given = description && { description };
      this.#last = { identity, ...collect(files), schemas, types, ...given, ...commitInfo(commit) };
    }
    return { bundle: this.#last, problems: [...problems, ...model.problems] };
  }

  #assembleModel(files: readonly KnownFile[]): Model {
    const relevant = files.filter(isOfModel);
    const identity = identifyModel(relevant);
    if (this.#model?.identity === identity) return this.#model;
    const schemas = new Map<string, JsonValue>(builtInSchemas);
    const problems: InputError[] = [];
    let types = builtInDescription;
    let description: GivenDescription | undefined;
    for (const { parse, role, listed } of relevant) {
      const outcome = parse();
      if ("error" in outcome) continue;
      if (outcome.part === "schemas") schemas.set(role.path, outcome.value);
      if (outcome.part !== "description") continue;
      const { value } = outcome;
      description = { value };
      try {
        types = parseTypeDescriptions(value, listed.path, types);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        description = { value, error };
        problems.push(error);
      }
    }
    this.#model = { identity, schemas, types, ...(description && { description }), problems };
    return this.#model;
  }
}

/** The identity of the bundle that these files make. Parses none of them. */
export function identify(files: readonly KnownFile[]): string {
  return hash("sha256", `${identifyModel(files.filter(isOfModel))}\n${digest(files)}`);
}

function identifyModel(files: readonly KnownFile[]): string {
  return hash("sha256", `${builtInIdentity}\n${digest(files)}`);
}

function isOfModel({ role: { part } }: KnownFile): boolean {
  return part === "schemas" || part === "description";
}

function collect(files: readonly KnownFile[]): Pick<Bundle, "datafiles" | "resources" | "unreadable"> {
  const datafiles = new Map<string, Datafile>();
  const resources = new Map<string, ResourceFile>();
  const unreadable: UnreadableFile[] = [];
  for (const { parse, role } of files) {
    const outcome = parse();
    if ("error" in outcome) {
      const { part, path } = role;
      if (part === "data" || part === "resources") unreadable.push({ part, path, ...outcome });
      continue;
    }
    if (outcome.part === "data") datafiles.set(outcome.datafile.path, outcome.datafile);
    if (outcome.part === "resources") resources.set(outcome.resource.path, outcome.resource);
  }
  return { datafiles, resources, ...(unreadable.length > 0 && { unreadable }) };
}

function digest(files: readonly KnownFile[]): string {
  return files.map(({ listed, sha256 }) => `${sha256} ${listed.path}\n`).join("");
}

export function commitInfo(commit: GitCommit | undefined): Pick<Bundle, "gitCommit" | "gitCommitTimestamp"> {
  return commit ? { gitCommit: commit.hash, gitCommitTimestamp: commit.timestamp } : {};
}
