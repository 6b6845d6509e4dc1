import { type Bundle, type BundleSource, parseBundle, type SourceChanges } from "#bundle";

/** A source for tests. `next` is what the next load gives: a bundle, or an error. */
export class FakeBundleSource implements BundleSource {
  readonly description = "a fake source";
  next: Bundle | Error;
  loads = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(first: Bundle) {
    this.next = first;
  }

  async load(): Promise<Bundle> {
    this.loads++;
    await Promise.resolve();
    if (this.next instanceof Error) throw this.next;
    return this.next;
  }

  async read() {
    return { bundle: await this.load(), problems: [], find: () => undefined };
  }

  change(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async *changes(signal: AbortSignal): AsyncIterable<SourceChanges> {
    while (!signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      if (!signal.aborted) yield ["everything"];
    }
  }
}

export interface AppBundleParts {
  readonly data?: Readonly<Record<string, object>>;
  readonly resources?: Readonly<Record<string, string>>;
  readonly commit?: string;
}

const types = [
  {
    name: "Query",
    fields: [
      { name: "apps_v1", type: "App_v1", isList: true, datafileSchema: "/app-1.yml" },
      { name: "resources_v1", type: "Resource_v1", isList: true, isRequired: true, isResource: true },
    ],
  },
  {
    name: "App_v1",
    datafile: "/app-1.yml",
    fields: ["path", "name", "colour"].map((name) => ({ name, type: "string" })),
  },
  { name: "Resource_v1", fields: ["path", "content"].map((name) => ({ name, type: "string" })) },
];

/** The text of a bundle file for tests. */
export function appBundleFile({ data = {}, resources = {}, commit = "cf639d" }: AppBundleParts): string {
  const files = Object.entries(data).map(([path, content]) => [path, { $schema: "/app-1.yml", ...content }]);
  const texts = Object.entries(resources).map(([path, content]) => [
    path,
    { path, content, sha256sum: `sha256 of ${content}`, $schema: null, backrefs: [] },
  ]);
  return JSON.stringify({
    data: Object.fromEntries(files),
    resources: Object.fromEntries(texts),
    schemas: {},
    graphql: types,
    git_commit: commit,
    git_commit_timestamp: "1606295532",
  });
}

export function appBundle(parts: AppBundleParts): Bundle {
  return parseBundle(Buffer.from(appBundleFile(parts)), "bundle.json");
}
