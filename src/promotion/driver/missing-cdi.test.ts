import { expect, test } from "vitest";
import { missingCdi } from "./missing-cdi.ts";

test.for([
  { runtime: "containerd://2.4.2", hasCdi: true },
  { runtime: "containerd://v2.0.0+unknown", hasCdi: true },
  { runtime: "containerd://1.7.27", hasCdi: false },
  { runtime: "containerd://1.6.20~ds1", hasCdi: false },
  { runtime: "cri-o://1.36.0", hasCdi: true },
  { runtime: "cri-o://1.22.5", hasCdi: false },
  { runtime: "docker://24.0.7", hasCdi: false },
  { runtime: "", hasCdi: false },
])('a node with the runtime "$runtime" is known to apply CDI: $hasCdi', ({ runtime, hasCdi }) => {
  expect(missingCdi(runtime) === undefined).toBe(hasCdi);
});
