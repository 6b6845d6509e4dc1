import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { drawPicture, picture } from "../../docs/generate/picture.ts";

/** Ports and times differ from run to run. */
function mask(svg: string): string {
  return svg.replaceAll(/127\.0\.0\.1:\d+/g, "ADDRESS").replaceAll(/\b\d+(\.\d+)? s\b/g, "TIME");
}

test("the picture of README shows what the commands in it print", async () => {
  const drawn = await drawPicture();
  expect(mask(drawn), "`node docs/generate/picture.ts` draws it anew").toBe(mask(await readFile(picture, "utf8")));
});
