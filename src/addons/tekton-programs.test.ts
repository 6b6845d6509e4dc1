import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFile } from "#base";
import { readClusterPrograms } from "#cluster";
import { readTektonProgram, tektonCommands } from "./tekton-programs.ts";

async function goMod(folder: "tekton" | "cluster"): Promise<string> {
  return readFile(packageFile(folder, "go.mod"), "utf8");
}

/** All flags but those of the linker, which has nothing to do with what is compiled. */
function compilerFlags(flags: readonly string[]): string[] {
  return flags.filter((flag) => !flag.startsWith("-s"));
}

function replacedVersions(goModText: string): string[] {
  return [...goModText.matchAll(/^\tk8s\.io\/(?:api|apimachinery|client-go) => .*$/gm)].flat();
}

test("the programs that images are made of are the tools of the module", async () => {
  const [, block = ""] = /^tool \(\n(.*?)\n\)/ms.exec(await goMod("tekton")) ?? [];
  const { package: first = "", companions = [] } = await readTektonProgram();
  expect(block.split("\n").map((line) => line.trim())).toEqual([first, ...companions].toSorted());
  expect([first, ...companions].map((path) => path.split("/").at(-1))).toEqual([...tektonCommands]);
});

test("Tekton has the flags and the Kubernetes of the embedded cluster, so that Go compiles what both need once", async () => {
  const [tekton, { cluster }] = [await readTektonProgram(), await readClusterPrograms()];
  expect(compilerFlags(tekton.goBuildFlags)).toEqual(compilerFlags(cluster.goBuildFlags));
  expect(replacedVersions(await goMod("tekton"))).toEqual(replacedVersions(await goMod("cluster")));
  expect(replacedVersions(await goMod("tekton"))).toHaveLength(3);
});

test("the version is that of the module", async () => {
  expect((await readTektonProgram()).version).toMatch(/^1\.\d+\.\d+$/);
  expect((await readTektonProgram()).directory).toBe(join(packageFile("tekton")));
});
