import { join } from "node:path";
import { parseArgs } from "node:util";
import { type BuiltImage, buildImage, nodePath, nodeRuntimeLayer, unprivilegedUser, writeImageArchive } from "#oci";
import { bundleProgram } from "../integration/image.ts";

/** The apparatus in one file, and Node: an image without a shell, made without a container runtime. */
export async function makePostgresImage(name: string, compression: "gzip" | "none" = "gzip"): Promise<BuiltImage> {
  const contents = await bundleProgram(join(import.meta.dirname, "main.ts"));
  return await buildImage({
    name,
    compression,
    layers: [
      await nodeRuntimeLayer(),
      { comment: "the apparatus", entries: [{ path: "/apparatus/main.mjs", contents }] },
    ],
    entrypoint: [nodePath, "/apparatus/main.mjs"],
    user: `${unprivilegedUser}:${unprivilegedUser}`,
    workingDirectory: "/apparatus",
    ports: [3000],
  });
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: "string" }, name: { type: "string" } } });
  const { out = "postgres-apparatus.tar", name = "localhost/postgres-apparatus:1" } = values;
  const image = await makePostgresImage(name);
  await writeImageArchive([image], out);
  process.stdout.write(`${out}: ${image.name}, ${image.digest}\n`);
}
