import { readFileSync } from "node:fs";
import { copyImage, openRegistries, parseImageReference } from "#oci";
import { limitYoungGeneration } from "../src/cli/image/limit-young-generation.ts";

/** Copies one image as `tenon image copy` does and prints what that took, as a process of its own: `node bench/copy-once.ts SOURCE TARGET`. */
const [source = "", target = ""] = process.argv.slice(2);
limitYoungGeneration();
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
    // Not `resourceUsage().maxRSS`, which begins with the memory of the process that started this one.
    megabytes: Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1000,
    uploadedBytes: result.uploadedBytes,
  }),
);
