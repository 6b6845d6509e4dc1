import { describe, expect, test } from "vitest";
import { GoRegexp } from "#golang";
import { fc } from "#seeded";
import { parseYamlDocuments } from "#yaml";
import type { AdvertisedImage } from "./advertised-image.ts";
import { type EditRules, editFile } from "./edit-file.ts";

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const [old, fresh] = [digest("0"), digest("1")];
const web: AdvertisedImage = { repository: "reg.local:5000/acme/web", tag: "released", digest: fresh };
const plain: EditRules = { aliases: {}, patterns: [] };

function masked(written: string): string {
  return written.replaceAll(/@sha256:[01]{64}/g, "");
}

function edit(text: string, { path = "app.yaml", images = [web], rules = plain } = {}) {
  const edited = editFile(path, Buffer.from(text), images, rules);
  return { ...edited, text: (edited.content ?? Buffer.from(text)).toString() };
}

describe("editFile sets the digest", () => {
  test.each([
    {
      reason: "a manifest names the image with its tag",
      before: "image: reg.local:5000/acme/web:released\n",
      after: `image: reg.local:5000/acme/web:released@${fresh}\n`,
    },
    {
      reason: "a manifest has an older digest, quotes and a comment",
      before: `  - image: "reg.local:5000/acme/web:released@${old}"   # reg.local:5000/acme/web:released\n`,
      after: `  - image: "reg.local:5000/acme/web:released@${fresh}"   # reg.local:5000/acme/web:released\n`,
    },
    {
      reason: "lines end with CRLF and the last one does not end",
      before: "a: 1\r\nimage: 'reg.local:5000/acme/web:released'\r\nb: 2",
      after: `a: 1\r\nimage: 'reg.local:5000/acme/web:released@${fresh}'\r\nb: 2`,
    },
    {
      reason: "an alias refers to an anchor, which holds the reference",
      before: "x: &img reg.local:5000/acme/web:released\ny: *img\n",
      after: `x: &img reg.local:5000/acme/web:released@${fresh}\ny: *img\n`,
    },
    {
      reason: "kustomize has a tag for the name",
      before: "images:\n- name: reg.local:5000/acme/web\n  newTag: released\n",
      after: `images:\n- name: reg.local:5000/acme/web\n  newTag: released@${fresh}\n`,
    },
    {
      reason: "kustomize has a new name and a digest",
      before: `images:\n- {name: web, newName: reg.local:5000/acme/web, digest: "${old}"}\n`,
      after: `images:\n- {name: web, newName: reg.local:5000/acme/web, digest: "${fresh}"}\n`,
    },
    {
      reason: "Helm values have registry, repository and tag",
      before: "image:\n  registry: reg.local:5000\n  repository: acme/web\n  tag: released\n",
      after: `image:\n  registry: reg.local:5000\n  repository: acme/web\n  tag: released@${fresh}\n`,
    },
    {
      reason: "Helm values have an empty digest",
      before: 'image: {repository: reg.local:5000/acme/web, tag: released, digest: ""}\n',
      after: `image: {repository: reg.local:5000/acme/web, tag: released, digest: "${fresh}"}\n`,
    },
    {
      reason: "Helm values have the bare hash",
      before: `image:\n  repository: reg.local:5000/acme/web\n  tag: released\n  sha: ${"0".repeat(64)}\n`,
      after: `image:\n  repository: reg.local:5000/acme/web\n  tag: released\n  sha: ${"1".repeat(64)}\n`,
    },
    {
      reason: "Argo CD names kustomize's images in one text each",
      before: `images:\n- web=reg.local:5000/acme/web:released@${old}\n`,
      after: `images:\n- web=reg.local:5000/acme/web:released@${fresh}\n`,
    },
    {
      reason: "a file has several documents",
      before: "a: 1\n---\nimage: reg.local:5000/acme/web:released\n...\n---\n- reg.local:5000/acme/web:released\n",
      after: `a: 1\n---\nimage: reg.local:5000/acme/web:released@${fresh}\n...\n---\n- reg.local:5000/acme/web:released@${fresh}\n`,
    },
  ])("and changes no other byte where $reason (P46)", ({ before, after }) => {
    const first = edit(before);
    expect(first.text).toBe(after);
    expect(first.problems).toEqual([]);
    expect(edit(after).content).toBeUndefined();
    expect(edit(after).references.length).toBe(first.references.length);
  });

  test("of an image of Docker Hub, however its name is written", () => {
    const images = [{ repository: "docker.io/library/web", tag: "released", digest: fresh }];
    const { text } = edit("- web:released\n- docker.io/web:released\n- index.docker.io/library/web:released\n", {
      images,
    });
    expect(text).toBe(
      `- web:released@${fresh}\n- docker.io/web:released@${fresh}\n- index.docker.io/library/web:released@${fresh}\n`,
    );
  });

  test("of an image that is named by an alias of its registry", () => {
    const rules = { ...plain, aliases: { "mirror.local/pull": "reg.local:5000" } };
    expect(edit("image: mirror.local/pull/acme/web:released\n", { rules }).text).toBe(
      `image: mirror.local/pull/acme/web:released@${fresh}\n`,
    );
  });

  test("where a pattern of the user finds it, in a file that is not YAML", () => {
    const regexp = new GoRegexp(
      "FROM (?P<depName>[^:@ ]+:\\d+/[^:@ ]+):(?P<currentValue>\\S+)@(?P<currentDigest>sha256:[a-f0-9]+)",
    );
    const before = `FROM reg.local:5000/acme/web:released@${old} AS a\nFROM reg.local:5000/acme/web:v1@${old}\n`;
    const { text } = edit(before, { path: "Dockerfile", rules: { ...plain, patterns: [{ regexp }] } });
    expect(text).toBe(`FROM reg.local:5000/acme/web:released@${fresh} AS a\nFROM reg.local:5000/acme/web:v1@${old}\n`);
  });

  test("and says line, digest before and how the line changes", () => {
    const edited = edit(`a: 1\r\nimage: reg.local:5000/acme/web:released@${old}\r\n`);
    expect(edited.references).toEqual([{ image: web, line: 2, digestBefore: old }]);
    const line = "image: reg.local:5000/acme/web:released";
    expect(edited.changes).toEqual([{ line: 2, before: `${line}@${old}`, after: `${line}@${fresh}` }]);
  });
});

describe("editFile leaves alone", () => {
  test.each([
    { reason: "another tag of the repository", text: "image: reg.local:5000/acme/web:v1\n" },
    { reason: "the same path on another host", text: "image: reg.other:5000/acme/web:released\n" },
    { reason: "a longer repository name", text: "image: reg.local:5000/acme/web2:released\n" },
    { reason: "the name in a field of another meaning", text: "name: reg.local:5000/acme/web\n" },
    { reason: "a comment", text: "a: 1 # image: reg.local:5000/acme/web:released\n" },
    { reason: "a reference inside a longer text", text: "run: pull reg.local:5000/acme/web:released now\n" },
    { reason: "another tag in kustomize", text: "images: [{name: reg.local:5000/acme/web, newTag: v1, digest: x}]\n" },
    { reason: "another tag in Helm values", text: "{repository: reg.local:5000/acme/web, tag: v1}\n" },
    { reason: "a digest that is not kustomize's", text: "lock: {name: reg.local:5000/acme/web, digest: old}\n" },
  ])("a file that has only $reason (P51)", ({ text }) => {
    expect(edit(text)).toMatchObject({ text, references: [], problems: [] });
  });

  test.each([
    {
      reason: "a Helm template (P51)",
      path: "chart/templates/app.yaml",
      text: "image: reg.local:5000/acme/web:released\nname: '{{ .Release.Name }}'\n",
      problem: "a Helm template is not edited",
    },
    {
      reason: "a template elsewhere (P51)",
      text: "{{ if .x }}\nimage: reg.local:5000/acme/web:released\n{{ end }}\n",
      problem: "a template is not edited",
    },
    {
      reason: "a tag that other fields share",
      text: "{a: {repository: reg.local:5000/acme/web, tag: &t released}, b: {repository: other/api, tag: *t}}\n",
      problem: "other fields share this value by an alias; write it out where it is used",
    },
    {
      reason: "a reference with escapes",
      text: 'image: "reg.local:5000/acme/web:rele\\u0061sed"\n',
      problem: "the reference is written with escapes or over several lines",
    },
    {
      reason: "a reference without a tag",
      text: `- image: reg.local:5000/acme/web@${old}\n`,
      problem: "the reference has no tag; write it as reg.local:5000/acme/web:released",
    },
    {
      reason: "a reference by name alone",
      text: "image: reg.local:5000/acme/web\n",
      problem: "the reference has no tag; write it as reg.local:5000/acme/web:released",
    },
    { reason: "invalid YAML", text: "a: [reg.local:5000/acme/web:released\n", problem: "not valid YAML" },
  ])("and names $reason", ({ path = "app.yaml", text, problem }) => {
    const edited = edit(text, { path });
    expect(edited.text).toBe(text);
    expect(edited.problems.map(({ reason }) => reason).join()).toContain(problem);
  });

  test("a file of more than 1 MiB, and bytes that are not UTF-8", () => {
    const large = `image: reg.local:5000/acme/web:released\n${"# padding\n".repeat(110_000)}`;
    expect(edit(large)).toMatchObject({ text: large, problems: [{ reason: "larger than 1 MiB" }] });
    const bytes = Buffer.concat([
      Buffer.from("image: reg.local:5000/acme/web:released\n# "),
      Buffer.from([0xe4, 0x0a]),
    ]);
    expect(editFile("a.yaml", bytes, [web], plain)).toMatchObject({ problems: [{ reason: "not UTF-8" }] });
  });
});

test("editFile changes only digests in random files, and the documents differ in the digest alone", () => {
  const name = fc.constantFrom("reg.local:5000/acme/web", "reg.local:5000/acme/api", "reg.other/acme/web", "web");
  const reference = fc
    .record({ name, tag: fc.constantFrom(":released", ":v1", ""), digest: fc.constantFrom("", `@${old}`, `@${fresh}`) })
    .map(({ name: repository, tag, digest: behind }) => `${repository}${tag}${behind}`);
  const quoted = fc.constantFrom(
    (text: string) => text,
    (text: string) => `"${text}"`,
    (text: string) => `'${text}'`,
  );
  const comment = fc.constantFrom("", " # why", "   #reg.local:5000/acme/web:released");
  const eol = fc.constantFrom("\n", "\r\n");
  const field = fc.record({ reference, quoted, comment, key: fc.constantFrom("image", "- image", "x", "été") });
  const line = fc.oneof(
    field.map((one) => (end: string) => `${one.key}: ${one.quoted(one.reference)}${one.comment}${end}`),
    fc
      .constantFrom("# a comment", "", "---", "text: |", "  image: reg.local:5000/acme/web:released")
      .map((text) => (end: string) => `${text}${end}`),
  );
  const file = fc
    .tuple(fc.array(line, { maxLength: 12 }), eol)
    .map(([lines, end]) => lines.map((write) => write(end)).join(""));
  fc.assert(
    fc.property(file, (text) => {
      const edited = edit(text);
      expect(masked(edited.text)).toBe(masked(text));
      expect(edit(edited.text).content).toBeUndefined();
      const json = (written: string) => (edited.content ? JSON.stringify(parseYamlDocuments(written)) : "");
      expect(masked(json(edited.text))).toBe(masked(json(text)));
      expect(json(edited.text)).not.toMatch(new RegExp(`"reg.local:5000/acme/web:released(@${old})?"`));
    }),
    { numRuns: 300 },
  );
});
