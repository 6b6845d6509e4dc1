import { expect, test } from "vitest";
import { playScenes } from "../pages/play-scenes.ts";
import { scenes } from "../pages/scenes.ts";

test("the how-to pages and the READMEs of the examples show what they say, in a terminal of 80 by 24", async () => {
  const seconds = await playScenes();
  expect([...seconds.keys()]).toEqual(scenes.map(({ page }) => page));
});
