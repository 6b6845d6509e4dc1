import { fc } from "#seeded";
import type { AdvertisedImage } from "./advertised-image.ts";

/** A text before and after the digests are set, as the generator knows, and not as the editor finds out. */
export interface TextPair {
  readonly before: string;
  readonly after: string;
}

/** Files by path. */
export type TreePair = ReadonlyMap<string, TextPair>;

const hash = (letter: string): string => letter.repeat(64);
const old = `sha256:${hash("0")}`;
export const advertised = [
  { repository: "reg.local:5000/acme/web", tag: "released", digest: `sha256:${hash("1")}` },
  { repository: "quay.io/acme/api", tag: "stable", digest: `sha256:${hash("2")}` },
] as const satisfies readonly AdvertisedImage[];

/** Without the digests above. What is left must be the same before and after. */
export function maskDigests(text: string): string {
  return text.replaceAll(/@?(sha256:)?(0{64}|1{64}|2{64})/g, "");
}

function same(text: string): TextPair {
  return { before: text, after: text };
}

/** Puts the pairs into the text. */
function pair(strings: TemplateStringsArray, ...parts: readonly (TextPair | string)[]): TextPair {
  const write = (side: keyof TextPair) =>
    String.raw({ raw: strings }, ...parts.map((part) => (typeof part === "string" ? part : part[side])));
  return { before: write("before"), after: write("after") };
}

function join(pairs: readonly TextPair[], between = ""): TextPair {
  return { before: pairs.map((one) => one.before).join(between), after: pairs.map((one) => one.after).join(between) };
}

const quotes = fc.constantFrom("", '"', "'");
const comment = fc.constantFrom("", "", " # why", "   #reg.local:5000/acme/web:released", " # été 漢字 {{ }}");
const image = fc.constantFrom<AdvertisedImage>(...advertised);
const digestBefore = fc.constantFrom(undefined, undefined, old, advertised[0].digest);

/** What the fields of an image may have: its own tag, or one that is not advertised. */
const parts = fc.record({
  image,
  tag: fc.option(fc.constantFrom<string>("v1", "released-1", "Released"), { nil: undefined, freq: 3 }),
  digest: digestBefore,
});

/** `repository:tag[@digest]` in one text. */
const reference: fc.Arbitrary<TextPair> = fc.oneof(
  {
    weight: 5,
    arbitrary: parts.map(({ image: { repository, tag: own, digest: fresh }, tag = own, digest }) => {
      const before = `${repository}:${tag}${digest === undefined ? "" : `@${digest}`}`;
      return { before, after: tag === own ? `${repository}:${tag}@${fresh}` : before };
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        "other.local:5000/acme/web:released",
        "reg.local/acme/web:released",
        "reg.local:5000/acme/web-2:released",
        "reg.local:5000/acme/sub/web:released",
        "acme/web:released",
        "quay.io/acme/api",
        `quay.io/acme/api@${old}`,
        "web",
      )
      .map(same),
  },
);

const quoted = fc.tuple(reference, quotes).map(([text, mark]) => pair`${mark}${text}${mark}`);

/** The lines of a map, in any order, in block or flow style. */
function map(fields: readonly (readonly [string, TextPair])[], isFlow: boolean, indent: string): TextPair {
  const lines = fields.map(([key, value]) => pair`${key}: ${value}`);
  return isFlow ? pair`{ ${join(lines, ", ")} }` : join(lines, `\n${indent}`);
}

const scalar = fc.tuple(quotes, fc.boolean());
type Scalar = readonly [string, boolean];

function quote(text: TextPair, [mark]: Scalar): TextPair {
  // A plain text that is empty, or ends in a colon, would be something else.
  const safe = mark === "" && /^$|:$/.test(text.before) ? '"' : mark;
  return pair`${safe}${text}${safe}`;
}

/** The fields of an image that are written apart: the digest has a field, or is behind the tag. */
const apart = fc.record({
  parts,
  hasField: fc.boolean(),
  isFlow: fc.boolean(),
  scalars: fc.tuple(scalar, scalar, scalar),
  order: fc.nat(),
});
type Apart = typeof apart extends fc.Arbitrary<infer T> ? T : never;

function digestFields(
  { parts: { image: own, tag = own.tag, digest }, hasField, scalars }: Apart,
  names: { readonly tag: string; readonly digest: string; readonly isBare: boolean },
): [string, TextPair][] {
  const isOurs = tag === own.tag;
  const bare = (text: string) => (names.isBare ? text.replace("sha256:", "") : text);
  if (hasField) {
    const before = bare(digest ?? "");
    const after = isOurs ? bare(own.digest) : before;
    return [
      [names.tag, quote(same(tag), scalars[0])],
      [names.digest, quote({ before, after }, before === "" ? ['"', true] : scalars[1])],
    ];
  }
  const before = digest === undefined ? tag : `${tag}@${digest}`;
  return [[names.tag, quote({ before, after: isOurs ? `${tag}@${own.digest}` : before }, scalars[0])]];
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const at = by % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

const kustomizeEntry = fc.tuple(apart, fc.boolean()).map(([one, isRenamed]) => {
  const name = quote(same(one.parts.image.repository), one.scalars[2]);
  const names: [string, TextPair][] = isRenamed
    ? [
        ["name", same("placeholder")],
        ["newName", name],
      ]
    : [["name", name]];
  const fields = [...names, ...digestFields(one, { tag: "newTag", digest: "digest", isBare: false })];
  return pair`- ${map(rotate(fields, one.order), one.isFlow, "  ")}`;
});

const helmValues = fc
  .record({ one: apart, isSplit: fc.boolean(), isVersion: fc.boolean(), isBare: fc.boolean() })
  .map(({ one, isSplit, isVersion, isBare }) => {
    const { repository } = one.parts.image;
    const slash = repository.indexOf("/");
    const names: [string, TextPair][] = isSplit
      ? [
          ["registry", quote(same(repository.slice(0, slash)), one.scalars[2])],
          ["repository", same(repository.slice(slash + 1))],
        ]
      : [["repository", quote(same(repository), one.scalars[2])]];
    const tag = isVersion ? "version" : "tag";
    const fields = [...names, ...digestFields(one, { tag, digest: isBare ? "sha" : "digest", isBare })];
    return { fields: rotate(fields, one.order), isFlow: one.isFlow };
  });

const noise = fc.constantFrom(
  "# image: reg.local:5000/acme/web:released",
  "",
  "text: |\n  image: reg.local:5000/acme/web:released\n  - x",
  "folded: >-\n  pull quay.io/acme/api:stable\n  now",
  'escaped: "a\\tb \\u00e9"',
  "été: 漢字  ",
  "number: 0x1F",
  "list: [ 1,2 , three ]",
  "empty:",
);

/** Fields of a manifest, each with a key of its own. */
const field: fc.Arbitrary<(key: string) => TextPair> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(quoted, comment).map(
      ([text, why]) =>
        (key: string) =>
          pair`${key}: ${text}${why}`,
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(quoted, quoted, comment).map(
      ([one, other, why]) =>
        (key: string) =>
          pair`${key}:\n- image: ${one}${why}\n-   name: x\n    image:   ${other}`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(quoted, comment).map(
      ([text, why]) =>
        (key: string) =>
          pair`${key}: {containers: [ {image: ${text}} ,{name: "x"}]}${why}`,
    ),
  },
  {
    weight: 1,
    arbitrary: quoted.map((text) => (key: string) => pair`${key}: &${key} ${text}\n${key}-again: *${key}`),
  },
  { weight: 1, arbitrary: quoted.map((text) => (key: string) => pair`${key}: !!str ${text}`) },
  { weight: 1, arbitrary: quoted.map((text) => (key: string) => pair`"${key}" :\n    ${text}`) },
  {
    weight: 2,
    arbitrary: noise.map((text) => (key: string) => same(text.replace(/^[^#:\s]+(?=:)/, (name) => `${name}-${key}`))),
  },
);

const manifestDocument = fc.array(field, { minLength: 1, maxLength: 6 }).map((fields) =>
  join(
    fields.map((write, index) => write(`k${index}`)),
    "\n",
  ),
);

const manifest = fc
  .tuple(
    fc.array(manifestDocument, { minLength: 1, maxLength: 3 }),
    fc.constantFrom("\n---\n", "\n...\n---\n", "\n--- # next\n"),
  )
  .map(([documents, between]) => pair`${join(documents, between)}\n`);

const kustomization = fc
  .array(kustomizeEntry, { minLength: 1, maxLength: 4 })
  .map((entries) => pair`kind: Kustomization\nimages: # released\n${join(entries, "\n")}\nresources: [app.yaml]\n`);

const values = fc
  .array(fc.tuple(helmValues, comment), { minLength: 1, maxLength: 4 })
  .map((entries) =>
    join(
      entries.map(([{ fields, isFlow }, why], index) =>
        isFlow
          ? pair`v${String(index)}: ${map(fields, true, "")}${why}\n`
          : pair`v${String(index)}:${why}\n  ${map(fields, false, "  ")}\n`,
      ),
    ),
  );

const json = fc.array(reference, { maxLength: 3 }).map(
  (texts) =>
    pair`{"images":[${join(
      texts.map((text) => pair`"${text}"`),
      ", ",
    )}],\t"n" : 1.50}`,
);

/** A file, and how its lines end. */
function laidOut(text: fc.Arbitrary<TextPair>): fc.Arbitrary<TextPair> {
  return fc
    .record({ text, isCrlf: fc.boolean(), endsWithout: fc.boolean(), hasMark: fc.boolean() })
    .map(({ text: written, isCrlf, endsWithout, hasMark }) => {
      const lay = (side: string) => {
        const cut = endsWithout ? side.replace(/\n$/, "") : side;
        return `${hasMark ? "\uFEFF" : ""}${isCrlf ? cut.replaceAll("\n", "\r\n") : cut}`;
      };
      return { before: lay(written.before), after: lay(written.after) };
    });
}

const untouched = manifest.map(({ before }) => same(before));
const file = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constantFrom("app.yaml", "a b.yml", "été.yaml"), laidOut(manifest)) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom("kustomization.yaml", "Kustomization"), laidOut(kustomization)) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom("values.yaml", "values-prod.yml"), laidOut(values)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant("data.json"), json) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom("README.md", "vendor/x.yaml", "Dockerfile"), laidOut(untouched)),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant("templates/x.yaml"),
      untouched.map(({ before }) => same(`${before}# {{ .x }}\n`)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant("broken.yaml"),
      untouched.map(({ before }) => same(`${before}\n]x: [`)),
    ),
  },
);
const directory = fc.constantFrom("", "apps/stage/", "apps/production/", "chart/", "été/a b/");

/** Trees of manifests, kustomizations and Helm values, with files beside them that must stay as they are. */
export const treePairs: fc.Arbitrary<TreePair> = fc
  .array(fc.tuple(directory, file), { minLength: 1, maxLength: 8 })
  .map((files) => new Map(files.map(([below, [name, text]]) => [`${below}${name}`, text])));
