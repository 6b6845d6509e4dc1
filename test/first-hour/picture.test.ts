import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { drawPictures, pictures } from "../../docs/generate/picture.ts";

/** Ports, times and generated names differ from run to run. */
function mask(svg: string): string {
  return svg
    .replaceAll(/127\.0\.0\.1:\d+/g, "ADDRESS")
    .replaceAll(/\b\d+(\.\d+)? (s|min)\b/g, "TIME")
    .replaceAll(/\b(parcels-[0-9a-f]{16})(-\w{8})?\b/g, "NAME");
}

const largest = 150_000;
const startOfPng = [0x89, 0x50, 0x4e, 0x47];

test("the pictures of README show what the commands in it print, a release, and the console with it", async () => {
  const drawn = await drawPictures();
  expect(mask(drawn.terminal), "`node docs/generate/picture.ts` draws it anew").toBe(
    mask(await readFile(pictures.terminal, "utf8")),
  );
  for (const [reason, png] of [
    ["as it is now", drawn.console],
    ["in the tree", await readFile(pictures.console)],
  ] as const) {
    expect([...png.subarray(0, 4)], `the PNG ${reason}`).toEqual(startOfPng);
    expect(png.length, `the PNG ${reason}`).toBeLessThan(largest);
  }
});
