import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "#manifest" with { type: "json" };
import {
  folderEntries,
  type BuiltImage,
  type ImageLayer,
  type BuildImageOptions,
  buildImage,
  gitLayer,
  nodePath,
  nodeRuntimeLayer,
  unprivilegedUser,
} from "#oci";
import { bundle } from "./bundle.ts";

const checkout = join(import.meta.dirname, "..");

/** Tenon as an image: Node and git with their libraries, and what the package holds for running in a cluster. */
export async function makeTenonImage(options: Pick<BuildImageOptions, "name" | "compression">): Promise<BuiltImage> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-image-"));
  const dist = join(directory.path, "dist");
  await bundle(dist, { onlyProgram: true });
  const app: ImageLayer = {
    comment: `Tenon ${manifest.version}`,
    entries: [
      ...(await folderEntries("/app/dist", dist)),
      ...(await folderEntries("/app/charts", join(checkout, "charts"))),
      ...["LICENSE", "package.json"].map((file) => ({ path: `/app/${file}`, copyOf: join(checkout, file) })),
    ],
  };
  const runtime = await nodeRuntimeLayer();
  return await buildImage({
    ...options,
    layers: [runtime, await gitLayer(runtime), app],
    // A process that stays collects its young garbage earlier; by default V8 lets it grow by 130 MB first: see decision 0150.
    entrypoint: [nodePath, "--max-semi-space-size=4", "/app/dist/tenon.js"],
    env: { PATH: "/usr/local/bin:/usr/bin", HOME: "/home/tenon", TENON_CALLED_AS: "tenon" },
    user: `${unprivilegedUser}:${unprivilegedUser}`,
    workingDirectory: "/home/tenon",
    ports: [9090],
    labels: {
      "org.opencontainers.image.title": "Tenon",
      "org.opencontainers.image.description": manifest.description,
      "org.opencontainers.image.licenses": manifest.license,
      "org.opencontainers.image.version": manifest.version,
    },
  });
}
