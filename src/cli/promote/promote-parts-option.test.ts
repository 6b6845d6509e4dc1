import { expect, test } from "vitest";
import { promoteParts } from "#promotion";
import { promotePartsOption } from "./promote-commands.ts";

test("--promote takes every part of the job promote, and no other word", () => {
  const option = promotePartsOption("parts");
  expect(option.parseArg?.(promoteParts.join(), undefined)).toEqual([...promoteParts]);
  expect(() => option.parseArg?.("deployments", undefined)).toThrow(`Choose from ${promoteParts.join(", ")}.`);
});
