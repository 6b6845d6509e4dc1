import { expect, test } from "vitest";
import { firstPages, liveFirstHour } from "./run.ts";

test("README and the tutorials show what they say, on a fresh clone with an empty home, in a terminal of 80 by 24", async () => {
  const seconds = await liveFirstHour();
  expect([...seconds.keys()]).toEqual(firstPages);
});
