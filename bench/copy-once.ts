import { copyImage, openRegistries, parseImageReference } from "#oci";

/** Copies one image and prints what that took, as a process of its own: `node bench/copy-once.ts SOURCE TARGET`. */
const [source = "", target = ""] = process.argv.slice(2);
await using registries = openRegistries();
const before = performance.now();
const result = await copyImage(
  registries,
  { source: parseImageReference(source), target: parseImageReference(target) },
  new AbortController().signal,
);
const { user, system } = process.cpuUsage();
console.log(
  JSON.stringify({
    wall: performance.now() - before,
    processor: (user + system) / 1000,
    // Linux counts it in kilobytes.
    megabytes: process.resourceUsage().maxRSS / 1000,
    uploadedBytes: result.uploadedBytes,
  }),
);
