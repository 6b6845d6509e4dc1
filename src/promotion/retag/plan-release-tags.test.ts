import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "#base";
import { type ImageFacts, parseTag } from "#oci";
import { expandTag } from "./expand-tag.ts";
import { formatTimestamp } from "./format-timestamp.ts";
import { planReleaseTags } from "./plan-release-tags.ts";
import { mapComponents, readComponents } from "./release-mapping.ts";

const d1 = `sha256:${"1".repeat(64)}`;
const d2 = `sha256:${"2".repeat(64)}`;
const revision = "0123456789abcdef0123456789abcdef01234567";
const spec = {
  components: [
    { name: "web", containerImage: `reg.local:5000/acme/web@${d1}`, source: { git: { url: "https://g", revision } } },
    { name: "api", containerImage: `reg.local:5000/acme/api:build-7@${d2}` },
  ],
};
const planning = {
  snapshot: "shop-1",
  releasedAt: new Date("2026-01-02T03:04:05Z"),
  allowExpiring: false,
};
const factsOf = (config: Partial<ImageFacts["config"]> = {}): ReadonlyMap<string, ImageFacts> =>
  new Map(
    [`reg.local:5000/acme/web@${d1}`, `reg.local:5000/acme/api:build-7@${d2}`].map((image) => [
      image,
      { digest: d1, mediaType: "", platforms: [], config: { labels: {}, ...config } },
    ]),
  );

function plan(data: Readonly<Record<string, unknown>>, facts = factsOf(), extra: readonly string[] = []): string[] {
  const planned = planReleaseTags(mapComponents(readComponents(spec), data, extra), facts, planning);
  return planned.flatMap(({ component, repository, tags, immutableTag }) =>
    [...tags, `!${immutableTag}`].map(
      (tag) => `${component.name} ${repository.registry}/${repository.repository}:${tag}`,
    ),
  );
}
const tags = (...given: string[]) => ({ mapping: { defaults: { tags: given } } });

describe("which repository gets which tag", () => {
  test("without a list of components, each is re-tagged in its own repository, ports included", () => {
    expect(plan(tags("released"))).toEqual([
      "web reg.local:5000/acme/web:released",
      "web reg.local:5000/acme/web:!released-shop-1",
      "api reg.local:5000/acme/api:released",
      "api reg.local:5000/acme/api:!released-shop-1",
    ]);
  });

  test("a mapping names components, repositories and tags; what it does not name is not released", () => {
    const mapping = {
      defaults: { tags: ["released"] },
      components: [
        {
          name: "web",
          repository: "quay.io/acme/web",
          repositories: [{ url: "ghcr.io/acme/web", tags: ["next"] }, { url: "quay.io/acme/web" }],
          tags: ["v1", "released"],
        },
        { name: "other", repository: "quay.io/acme/other" },
      ],
    };
    expect(plan({ mapping })).toEqual([
      "web quay.io/acme/web:released",
      "web quay.io/acme/web:v1",
      "web quay.io/acme/web:!released-shop-1",
      "web ghcr.io/acme/web:released",
      "web ghcr.io/acme/web:v1",
      "web ghcr.io/acme/web:next",
      "web ghcr.io/acme/web:!released-shop-1",
    ]);
  });

  test("tags come from the parameter of the pipeline, too", () => {
    expect(plan({}, factsOf(), ["validated"])[0]).toBe("web reg.local:5000/acme/web:validated");
  });

  test("P45: a mapping without a common name fails and lists both sets", () => {
    const mapping = { defaults: { tags: ["a"] }, components: [{ name: "db" }, { name: "cache" }] };
    expect(() => plan({ mapping })).toThrow(
      /no component of the Snapshot \(web, api\) is among those of the mapping \(db, cache\)/,
    );
    expect(() => plan({ mapping: { components: [] } })).toThrow(/among those of the mapping \(none\)/);
  });

  test.for([
    { reason: "no tag at all", data: {}, says: "the component web gets no tag in reg.local:5000/acme/web" },
    { reason: "P45: an unknown variable", data: tags("{{ nope }}"), says: "the variable {{ nope }}" },
    { reason: "P45: a slash", data: tags("a/b"), says: '"a/b" is not a valid tag' },
    { reason: "a tag that leaves the repository", data: tags("../other:v1"), says: "is not a valid tag" },
    { reason: "a tag with a digest", data: tags(`v1@${d2}`), says: "is not a valid tag" },
    { reason: "an empty tag", data: tags(""), says: '"" is not a valid tag' },
    { reason: "half a variable", data: tags("v{{git_sha"), says: "is not a valid tag" },
    {
      reason: "the tag of a signature",
      data: tags(`sha256-${"1".repeat(64)}.sig`),
      says: "by which signatures are found",
    },
    { reason: "a very long tag", data: tags("x".repeat(600)), says: "a tag has 600 characters" },
    { reason: "a tag that is too long", data: tags("x".repeat(129)), says: "is not a valid tag" },
    { reason: "very many tags", data: tags(...Array.from({ length: 51 }, (_, i) => `v${i}`)), says: "expected array" },
    {
      reason: "tags that are not a list",
      data: { mapping: { defaults: { tags: "released" } } },
      says: "expected array",
    },
    { reason: "a mapping that is not an object", data: { mapping: "x" }, says: "data.mapping: " },
    {
      reason: "a repository in upper case",
      data: { mapping: { defaults: { tags: ["a"] }, components: [{ name: "web", repository: "quay.io/Acme/web" }] } },
      says: 'data.mapping.components[web].repository: quay.io/Acme/web: "Acme/web" is not a valid repository name',
    },
    {
      reason: "a repository with dots",
      data: {
        mapping: { defaults: { tags: ["a"] }, components: [{ name: "web", repository: "quay.io/acme/../web" }] },
      },
      says: "is not a valid repository name",
    },
    {
      reason: "a repository with a tag",
      data: {
        mapping: { defaults: { tags: ["a"] }, components: [{ name: "web", repository: "quay.io/acme/web:v1" }] },
      },
      says: "expected a repository",
    },
    {
      reason: "two images for one tag",
      data: {
        mapping: {
          defaults: { tags: ["a"] },
          components: ["web", "api"].map((name) => ({ name, repository: "quay.io/acme/all" })),
        },
      },
      says: "quay.io/acme/all:a is asked for by the components web and api",
    },
    {
      reason: "a commit that is not known",
      data: tags("v-{{git_sha}}"),
      says: "component api: data.mapping.defaults: the variable {{git_sha}}",
    },
    {
      reason: "an unknown part of a time",
      data: { mapping: { defaults: { tags: ["{{ release_timestamp }}"], timestampFormat: "%Q" } } },
      says: "%Q is not a known part",
    },
  ])("refused: $reason", ({ data, says }) => {
    expect(() => plan(data)).toThrow(InputError);
    expect(() => plan(data)).toThrow(says);
  });

  test("an image that expires is refused, unless the plan allows it", () => {
    const facts = factsOf({ labels: { "quay.expires-after": "5d" } });
    expect(() => plan(tags("released"), facts)).toThrow(/acme\/web@sha256:1+: the image expires .*"5d"/);
    const components = mapComponents(readComponents(spec), tags("released"));
    expect(planReleaseTags(components, facts, { ...planning, allowExpiring: true })).toHaveLength(2);
  });

  test("an image without a digest is refused: its tag may have moved since the tests", () => {
    const moved = { components: [{ name: "web", containerImage: "quay.io/acme/web:build-7" }] };
    expect(() => readComponents(moved)).toThrow(/spec\.components\[web\]\.containerImage .*has no digest/);
  });
});

function isTagOrRefused(text: string, value: string, isTemplate: boolean): boolean {
  try {
    const tag = expandTag(isTemplate ? `${text}{{x}}` : text, () => value, "data");
    return parseTag(tag) === tag;
  } catch (error) {
    return error instanceof InputError;
  }
}

describe("variables", () => {
  const one = { components: [spec.components[0]] };
  const expand = (template: string, config: Partial<ImageFacts["config"]> = {}, timestampFormat?: string) => {
    const mapping = { defaults: { tags: [template], ...(timestampFormat === undefined ? {} : { timestampFormat }) } };
    return planReleaseTags(mapComponents(readComponents(one), { mapping }), factsOf(config), planning)[0]?.tags[0];
  };

  test.for([
    { template: "{{git_sha}}", is: revision },
    { template: "v-{{ git_short_sha }}", is: "v-0123456" },
    { template: "{{digest_sha}}", is: "1".repeat(64) },
    { template: "{{ release_timestamp }}", is: "1767323045" },
    { template: "{{ timestamp }}", config: { created: "2026-01-02T03:04:05Z" }, is: "1767323045" },
    {
      template: "{{ timestamp }}",
      config: { created: "2020-01-01T00:00:00Z", labels: { "build-date": "2026-01-02T03:04:05" } },
      format: "%Y%m%d-%H%M%S",
      is: "20260102-030405",
    },
    { template: "{{ labels.version }}-{{git_short_sha}}", config: { labels: { version: "1.2" } }, is: "1.2-0123456" },
  ])("$template is $is", ({ template, config, format, is }) => {
    expect(expand(template, config, format)).toBe(is);
  });

  test.for([
    {
      reason: "the value of a label that is not a tag",
      template: "{{labels.x}}",
      labels: { x: "a/b" },
      says: "not a valid tag",
    },
    { reason: "an empty label", template: "{{labels.x}}", labels: { x: "" }, says: "{{labels.x}}" },
    {
      reason: "a label of every object",
      template: "{{labels.constructor}}",
      labels: {},
      says: "{{labels.constructor}}",
    },
    { reason: "a variable of every object", template: "{{constructor}}", labels: {}, says: "{{constructor}}" },
    { reason: "a time that the image does not have", template: "{{timestamp}}", labels: {}, says: "{{timestamp}}" },
  ])("refused: $reason", ({ template, labels, says }) => {
    expect(() => expand(template, { labels })).toThrow(says);
  });

  test("whatever a tag and its variables are, what comes out is a tag of the same repository", () => {
    const text = fc.string({ unit: "grapheme" });
    expect(() => fc.assert(fc.property(text, fc.string(), fc.boolean(), isTagOrRefused))).not.toThrow();
  });

  test("times are written as strftime writes them, in UTC", () => {
    const time = new Date("2026-03-01T09:08:07Z");
    expect(formatTimestamp(time, "%Y-%m-%d %y %j %H:%M:%S %F %T %% %s")).toBe(
      "2026-03-01 26 060 09:08:07 2026-03-01 09:08:07 % 1772356087",
    );
  });
});
