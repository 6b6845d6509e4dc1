import { mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { rotatingCredentials } from "./credentials.ts";
import { rotatingToken } from "./rotating-value.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-rotating-"));
  file = join(folder, "token");
  await writeFile(file, "first-token\n");
});
afterEach(() => rm(folder, { recursive: true }));

test("a replaced token is noticed within 10 s, and checked for no more often", async () => {
  const clock = new FakeClock();
  const token = await rotatingToken(file, "here", clock);
  await writeFile(file, "second-token\n");
  await clock.advance(9_999);
  expect((await token.current()).reveal()).toBe("first-token");
  await clock.advance(1);
  expect((await token.current()).reveal()).toBe("second-token");
});

test("an unreadable file leaves the last good token in place, until it is readable again", async () => {
  const clock = new FakeClock();
  const token = await rotatingToken(file, "here", clock);
  await rm(file);
  expect((await token.refresh()).reveal()).toBe("first-token");
  await writeFile(file, "");
  expect((await token.refresh()).reveal()).toBe("first-token");
  await writeFile(file, "second-token");
  expect((await token.refresh()).reveal()).toBe("second-token");
});

test("a volume's link that moves to another folder is a change", async () => {
  await writeFile(join(folder, "other"), "other-token");
  await symlink("token", join(folder, "link"));
  const token = await rotatingToken(join(folder, "link"), "here", new FakeClock());
  await symlink("other", join(folder, "new"));
  await rename(join(folder, "new"), join(folder, "link"));
  expect((await token.refresh()).reveal()).toBe("other-token");
});

test("after a rejection, reading the same value again does not count as a renewal", async () => {
  const credentials = rotatingCredentials({ token: await rotatingToken(file, "here", new FakeClock()) });
  const rejected = await credentials.current();
  expect(await credentials.renew(rejected)).toBe(false);
  await writeFile(file, "second-token");
  expect(await credentials.renew(rejected)).toBe(true);
  expect((await credentials.current()).token?.reveal()).toBe("second-token");
});
