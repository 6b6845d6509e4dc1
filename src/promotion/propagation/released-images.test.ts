import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { advertisedImages, listAdvertised, releasesOf } from "./released-images.ts";

const digest = (hex: string) => `sha256:${hex.repeat(64)}`;

interface Sample {
  readonly plan?: string;
  readonly end?: string;
  readonly reason?: string;
  readonly images: unknown;
}

function release(
  name: string,
  { plan = "released", end = "2026-01-01T00:00:00Z", reason = "Succeeded", images }: Sample,
) {
  const status = reason === "Succeeded" ? "True" : "False";
  const object: KubeObject = {
    apiVersion: "appstudio.redhat.com/v1alpha1",
    kind: "Release",
    metadata: { namespace: "shop", name },
    spec: { snapshot: `snapshot-of-${name}`, releasePlan: plan },
    status: { completionTime: end, artifacts: { images }, conditions: [{ type: "Released", status, reason }] },
  };
  return object;
}
const image = (name: string, hex: string, ...urls: readonly string[]) => ({ name, shasum: digest(hex), urls });
const [web, api] = ["quay.io/acme/web:released", "quay.io/acme/api:released"];

test("the last Release that moved the tag of an image counts, image by image", () => {
  const releases = listAdvertised(
    [
      release("second", {
        end: "2026-01-02T00:00:00Z",
        images: [image("web", "2", web, "quay.io/acme/web:released-x")],
      }),
      release("first", { images: [image("web", "1", web), image("api", "1", api)] }),
    ],
    { name: "released" },
  );
  expect(releases.map(({ name, snapshot }) => [name, snapshot])).toEqual([
    ["second", "snapshot-of-second"],
    ["first", "snapshot-of-first"],
  ]);
  expect(advertisedImages(releases)).toEqual([
    { repository: "quay.io/acme/api", tag: "released", digest: digest("1"), component: "api" },
    { repository: "quay.io/acme/web", tag: "released", digest: digest("2"), component: "web" },
  ]);
  expect(releasesOf({ [web]: digest("1"), [api]: digest("1") }, releases)).toEqual([
    { name: "first", snapshot: "snapshot-of-first" },
  ]);
  expect(releasesOf({ [web]: digest("2"), [api]: digest("1") }, releases).map(({ name }) => name)).toEqual([
    "second",
    "first",
  ]);
});

test.each([
  { reason: "another plan", sample: { plan: "validated", images: [image("web", "1", web)] } },
  { reason: "a Release that failed", sample: { reason: "Failed", images: [image("web", "1", web)] } },
  { reason: "one that runs", sample: { reason: "Progressing", images: [image("web", "1", web)] } },
  { reason: "one that came too late to move the tag", sample: { images: [image("web", "1", `${web}-x`)] } },
  { reason: "another tag", sample: { images: [image("web", "1", "quay.io/acme/web:validated")] } },
  { reason: "no digest", sample: { images: [{ name: "web", shasum: "latest", urls: [web] }] } },
  { reason: "an address that is none", sample: { images: [image("web", "1", "https://quay.io/a b:released")] } },
  { reason: "artifacts of another shape", sample: { images: { web } } },
])("nothing is advertised by $reason", ({ sample }) => {
  expect(listAdvertised([release("one", sample)], { name: "released" })).toEqual([]);
});
