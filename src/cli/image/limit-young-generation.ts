import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8 from growing the part of the heap where new objects are, for processes that only pass bytes on. Chunks are garbage
 * at once; the larger that part, the longer their memory outside the heap is kept: see decision 0126.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString("--max-semi-space-size=2");
  setFlagsFromString("--semi-space-growth-factor=1");
}
