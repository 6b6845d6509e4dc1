import { type Bundle, parseBundle } from "#bundle";

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

export function appBundle(toy: AppBundleParts): Bundle {
  return parseBundle(Buffer.from(appBundleFile(toy)), "toy.json");
}
