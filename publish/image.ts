import { parseArgs } from "node:util";
import manifest from "#manifest" with { type: "json" };
import { writeImageArchive } from "#oci";
import { makeTenonImage } from "./tenon-image.ts";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "tenon-image.tar" },
    tag: { type: "string", default: `tenon:${manifest.version}` },
  },
});
const image = await makeTenonImage({ name: values.tag });
await writeImageArchive([image], values.out);
const bytes = image.layers.reduce((sum, layer) => sum + layer.bytes.length, 0);
process.stdout.write(`${values.out}: ${image.name}, ${image.digest}, ${(bytes / 1e6).toFixed(1)} MB\n`);
