import { readFileSync } from "node:fs";
import { copyImage, openRegistries, parseImageReference } from "#oci";

/** Copies one image as `tenon image copy` does and prints the memory that it took, as a process of its own: `node bench/copy-once.ts SOURCE TARGET`. */
const [source = "", target = ""] = process.argv.slice(2);
await using registries = openRegistries();
const { uploadedBytes } = await copyImage(
  registries,
  { source: parseImageReference(source), target: parseImageReference(target) },
  new AbortController().signal,
);
// Not `resourceUsage().maxRSS`, which begins with the memory of the process that started this one.
const megabytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1000;
console.log(JSON.stringify({ megabytes, uploadedBytes }));
