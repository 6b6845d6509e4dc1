import { expect, test } from "vitest";
import { InputError } from "#base";
import { innerMediaType, mediaTypes, readManifestContent } from "./manifest-content.ts";

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const blob = (digit: string, more: object = {}): object => ({
  mediaType: "application/octet-stream",
  digest: digest(digit),
  size: 1,
  ...more,
});
const read = (value: unknown, mediaType: string = mediaTypes.ociManifest): ReturnType<typeof readManifestContent> =>
  readManifestContent({ bytes: Buffer.from(JSON.stringify(value)), mediaType }, "quay.io/a/b:v1");

test("a manifest refers to its config and its layers, but for layers that are fetched from elsewhere", () => {
  const foreign = {
    mediaType: "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
    urls: ["https://example.com/windows"],
  };
  const { blobs, children } = read({
    config: blob("a"),
    layers: [blob("b"), blob("c", foreign), blob("d", { urls: ["x"] })],
  });
  expect(blobs.map((each) => each.digest)).toEqual(["a", "b", "d"].map(digest));
  expect(children).toEqual([]);
});

test("an index refers to its children, an artifact to its blobs and subject", () => {
  expect(read({ manifests: [blob("a")] }, mediaTypes.ociIndex).children).toHaveLength(1);
  const artifact = read({ blobs: [blob("b")], subject: blob("c"), artifactType: "x/y" }, mediaTypes.artifact);
  expect(artifact).toMatchObject({
    blobs: [{ digest: digest("b") }],
    subject: { digest: digest("c") },
    artifactType: "x/y",
  });
});

test.for([
  { value: { layers: [{ ...blob("a"), digest: "sha256:../../x" }] }, message: /layers\.0\.digest: expected a sha256/ },
  { value: { layers: [{ ...blob("a"), size: -1 }] }, message: /layers\.0\.size/ },
  { value: [], message: /not a valid manifest/ },
])("a manifest with bad references is refused", ({ value, message }) => {
  expect(() => read(value)).toThrow(InputError);
  expect(() => read(value)).toThrow(message);
});

test("the format of Docker before 1.10 is refused by name", () => {
  expect(() => read({}, "application/vnd.docker.distribution.manifest.v1+prettyjws")).toThrow(/schema 1/);
});

test("without a type from the registry, the manifest tells its own", () => {
  expect(innerMediaType(Buffer.from('{"mediaType": "a/b"}'))).toBe("a/b");
  expect(innerMediaType(Buffer.from('{"manifests": []}'))).toBe(mediaTypes.ociIndex);
  expect(innerMediaType(Buffer.from("<html>"))).toBeUndefined();
});
