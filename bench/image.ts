import { cp, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../publish/bundle.ts";
import { makeTenonImage } from "../publish/tenon-image.ts";
import { mean, processorMs } from "./measure.ts";

const root = join(import.meta.dirname, "..");
const runs = 10;

/** The size of Tenon's image, and what it costs to start what is in it, with and without code that was compiled before. */
export async function measureImage(): Promise<void> {
  const before = performance.now();
  const { layers } = await makeTenonImage({ name: "tenon:bench" });
  const seconds = (performance.now() - before) / 1000;
  const sizes = layers.map(({ bytes }) => bytes.length / 1e6);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`image: ${total.toFixed(1)} MB compressed, made in ${seconds.toFixed(1)} s`);
  console.log(`  node, git, tenon: ${sizes.map((size) => `${size.toFixed(1)} MB`).join(", ")}`);

  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-image-"));
  await Promise.all([
    bundle(join(directory.path, "dist")),
    cp(join(root, "package.json"), join(directory.path, "package.json")),
  ]);
  const tenon = [process.execPath, join(directory.path, "dist", "tenon.js"), "--help"];
  // In the image nothing can be written, so there is no compiled code to find.
  const cold = meanMs(["env", "-i", ...tenon]);
  const warm = meanMs(["env", "-i", `HOME=${directory.path}`, ...tenon]);
  console.log(`tenon --help as in the image, processor time, mean of ${runs}: ${cold.toFixed(0)} ms (bar: 200 ms)`);
  console.log(`  the same as npm installs it, with compiled code: ${warm.toFixed(0)} ms\n`);
}

function meanMs(command: readonly string[]): number {
  processorMs(command);
  return mean(Array.from({ length: runs }, () => processorMs(command)));
}

if (import.meta.main) await measureImage();
