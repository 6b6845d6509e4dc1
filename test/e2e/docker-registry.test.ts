import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "#base";
import type { KubeObject } from "#kube";
import {
  copyImage,
  inspectImage,
  openRegistries,
  parseDockerConfig,
  type Registries,
  resolveDigest,
  retag,
} from "#oci";
import {
  Release,
  ReleasePlan,
  RepositoryLocks,
  type RetagDeps,
  retagMetrics,
  retagRelease,
  type RetagRequest,
  Snapshot,
} from "#promotion";
import { SamplePusher, startLibraryRegistry, type TestRegistry } from "#registry";
import { EvidencePusher, sampleSigner, simpleSigning } from "../../src/oci/signatures/sample-signatures.fixture.ts";
import { type DockerRegistry, startDockerRegistry } from "./start-docker-registry.ts";

const signal = new AbortController().signal;
const [user, password] = ["robot", "not-to-be-printed"];

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}

describe.each([{ authentication: "basic" as const }, { authentication: "bearer" as const }])(
  "Debian's docker-registry with $authentication authentication",
  ({ authentication }) => {
    let source: TestRegistry;
    let registry: DockerRegistry;
    let registries: Registries;

    beforeAll(async () => {
      source = await startLibraryRegistry();
      registry = await startDockerRegistry({ user, password, authentication });
      const auth = Buffer.from(`${user}:${password}`).toString("base64");
      const text = JSON.stringify({ auths: { [registry.host]: { auth } } });
      registries = openRegistries({ credentials: parseDockerConfig(text, "Secret shop/registry") });
    });
    afterAll(async () => {
      await registries[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
      await source[Symbol.asyncDispose]();
    });

    test("P41, P42, P43: an image with a signature and a referrer comes from another registry, moves within this one by mounts, and is re-tagged", async () => {
      const pusher = new SamplePusher(source.url, "acme/web");
      const index = await pusher.index("v1");
      const [child] = index.children;
      if (child === undefined) throw new Error("the index has no children");
      const signature = await pusher.companion(index.digest, "sig");
      const sbom = await pusher.referrer(child, "application/spdx+json");
      const from = { registry: source.host, repository: "acme/web", tag: "v1" };
      const built = { registry: registry.host, repository: "acme/built", tag: "v1" };
      const released = { registry: registry.host, repository: "acme/released", tag: "v1" };

      const uploaded = await copyImage(registries, { source: from, target: built }, signal);
      expect(uploaded).toMatchObject({ digest: index.digest, mounted: 0, uploaded: 8 });
      const mounted = await copyImage(registries, { source: built, target: released }, signal);
      expect(mounted).toMatchObject({ digest: index.digest, mounted: 8, uploaded: 0 });
      const image = { ...released, digest: index.digest };
      const { tags } = await retag(registries, { image, tags: [{ tag: "released" }] }, signal);
      expect(tags[0]?.error).toBeUndefined();

      const { digest, companions } = await inspectImage(registries, { ...released, tag: "released" }, signal);
      expect(digest).toBe(index.digest);
      expect(new Set(companions.map((companion) => companion.digest))).toEqual(
        new Set([signature.digest, sbom.digest]),
      );
      expect(registry.scopes).toEqual(
        authentication === "basic"
          ? []
          : [
              ["repository:acme/built:pull,push"],
              ["repository:acme/released:pull,push", "repository:acme/built:pull"],
              ["repository:acme/released:pull,push"],
              ["repository:acme/released:pull"],
            ],
      );
    });

    test("P41, P43: a release is verified by the signature that was copied, gets its tags, and writes nothing when repeated", async () => {
      const [signer, pusher] = [sampleSigner(), new SamplePusher(source.url, "acme/signed")];
      const index = await pusher.index("v1");
      await new EvidencePusher(pusher).signature(index.digest, simpleSigning(signer, index.digest));
      const built = { registry: registry.host, repository: "acme/signed" };
      const from = { registry: source.host, repository: "acme/signed", tag: "v1" };
      await copyImage(registries, { source: from, target: built }, signal);
      const auth = Buffer.from(`${user}:${password}`).toString("base64");
      const config = JSON.stringify({ auths: { [registry.host]: { auth } } });
      const metadata = { name: "shop-1", namespace: "shop" };
      const objects: Readonly<Record<string, KubeObject>> = {
        "appstudio-pipeline": { apiVersion: "v1", kind: "ServiceAccount", metadata, secrets: [{ name: "registry" }] },
        registry: {
          apiVersion: "v1",
          kind: "Secret",
          metadata,
          type: "kubernetes.io/dockerconfigjson",
          data: { ".dockerconfigjson": encode(config) },
        },
        signers: { apiVersion: "v1", kind: "Secret", metadata, data: { "cosign.pub": encode(signer.publicKey) } },
      };
      const deps: RetagDeps = {
        clock: systemClock,
        metrics: retagMetrics(),
        actAs: (namespace, name) => ({ namespace, name, client: { find: async (ref) => objects[ref.name] } }),
        snapshotsIn: () => [],
        locks: new RepositoryLocks(),
      };
      const components = [{ name: "web", containerImage: `${registry.host}/acme/signed@${index.digest}` }];
      const request: RetagRequest = {
        namespace: "shop",
        serviceAccountName: "appstudio-pipeline",
        release: { apiVersion: Release.apiVersion, kind: Release.kind, metadata },
        plan: { apiVersion: ReleasePlan.apiVersion, kind: ReleasePlan.kind, metadata },
        snapshot: { apiVersion: Snapshot.apiVersion, kind: Snapshot.kind, metadata, spec: { components } },
        data: {
          mapping: { defaults: { tags: ["released"] } },
          verification: { keys: "signers", requires: ["signature"] },
        },
        params: [],
      };
      const actions = async () => {
        const outcome = await retagRelease(request, deps, signal);
        return outcome.kind === "failed" ? outcome.message : outcome.tagged[0]?.moves.map(({ action }) => action);
      };
      expect(await actions()).toEqual(["create", "create"]);
      expect(await actions()).toEqual(["keep", "keep"]);
      for (const tag of ["released", "released-shop-1"]) {
        expect(await resolveDigest(registries, { ...built, tag }, signal)).toBe(index.digest);
      }
    });

    test("a layer of many megabytes arrives whole", async () => {
      const pushed = await new SamplePusher(source.url, "acme/large").image("amd64", [randomBytes(20e6)], "v1");
      const target = { registry: registry.host, repository: "acme/large", tag: "v1" };
      const from = { registry: source.host, repository: "acme/large", tag: "v1" };
      expect((await copyImage(registries, { source: from, target }, signal)).uploadedBytes).toBeGreaterThan(20e6);
      expect(await resolveDigest(registries, target, signal)).toBe(pushed.digest);
    });

    test("wrong credentials are refused with where they come from", async () => {
      const auth = Buffer.from(`${user}:wrong-one`).toString("base64");
      const text = JSON.stringify({ auths: { [registry.host]: { auth } } });
      await using wrong = openRegistries({ credentials: parseDockerConfig(text, "Secret shop/wrong") });
      const image = { registry: registry.host, repository: "acme/large", tag: "v1" };
      await expect(resolveDigest(wrong, image, signal)).rejects.toThrow(
        /denies access \(401.*credentials of user robot come from Secret shop\/wrong/,
      );
    });
  },
);
