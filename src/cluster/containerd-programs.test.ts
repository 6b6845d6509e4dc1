import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { packageFile } from "#base";
import { readContainerdPrograms } from "./containerd-programs.ts";

test("containerd, its shim and ctr are the tools of the module, in the version that it requires", async () => {
  const goMod = await readFile(packageFile("containerd", "go.mod"), "utf8");
  const [, block = ""] = /^tool \(\n(.*?)\n\)/ms.exec(goMod) ?? [];
  const { package: first = "", companions = [], goBuildFlags } = await readContainerdPrograms();
  expect(block.split("\n").map((line) => line.trim())).toEqual([first, ...companions]);
  expect(goBuildFlags.at(-1)).toMatch(/version\.Version=v2\.\d+\.\d+$/);
});
