import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "rolldown";
import { type BuiltImage, buildImage, nodePath, nodeRuntimeLayer, unprivilegedUser, writeImageArchive } from "#oci";

const programs = ["whereabouts.ts", "census.ts"];

/** The integrations of this folder in one image, each as a single file: the container's first argument says which one runs. */
export async function makeIntegrationImage(name: string, compression: "gzip" | "none" = "gzip"): Promise<BuiltImage> {
  const bundles = await Promise.all(programs.map((program) => bundleProgram(join(import.meta.dirname, program))));
  const entries = bundles.map((contents, index) => ({ path: pathInImage(programs[index] ?? ""), contents }));
  return await buildImage({
    name,
    compression,
    layers: [await nodeRuntimeLayer(), { comment: "integrations", entries }],
    entrypoint: [nodePath],
    user: `${unprivilegedUser}:${unprivilegedUser}`,
    workingDirectory: "/integrations",
    ports: [9090],
  });
}

function pathInImage(program: string): string {
  return `/integrations/${basename(program, ".ts")}.mjs`;
}

/** A program with everything it imports, in one file. */
export async function bundleProgram(input: string): Promise<string> {
  const { output } = await build({
    input,
    platform: "node",
    logLevel: "silent",
    // Some packages are loaded by `require` only when they are needed; a file on its own has nowhere to load them from.
    plugins: [
      { name: "require-as-import", transform: (code) => code.replace(/^const require = createRequire.*$/m, "") },
    ],
    output: { format: "esm", codeSplitting: false },
    write: false,
  });
  return output[0].code;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: "string" }, name: { type: "string" } } });
  const { out = "integrations.tar", name = "localhost/integrations:1" } = values;
  const image = await makeIntegrationImage(name);
  await writeImageArchive([image], out);
  process.stdout.write(`${out}: ${image.name}, ${image.digest}\n`);
}
