import { mkdtempDisposable, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PreparedClaims } from "./prepared-claims.ts";

const claim = {
  namespace: "shop",
  name: "e2e",
  uid: "0b6c-1",
  claim: { name: "pod-1", uid: "u2", className: "small" },
  environment: "env-1",
  renewAt: 5,
};

async function useFiles() {
  const { path, [Symbol.asyncDispose]: remove } = await mkdtempDisposable(join(tmpdir(), "tenon-prepared-"));
  const places = { directory: join(path, "claims"), cdiDirectory: join(path, "cdi") };
  return { ...places, files: new PreparedClaims(places), [Symbol.asyncDispose]: remove };
}

test("a claim is read back, its kubeconfig can be read by any user of the container, and no token is in the CDI file", async () => {
  await using world = await useFiles();
  await world.files.write(claim, "token: secret");
  expect(await world.files.list()).toEqual([claim]);
  const [file = ""] = await readdir(world.cdiDirectory);
  const text = await readFile(join(world.cdiDirectory, file), "utf8");
  expect(text).not.toContain("secret");
  const { hostPath } = JSON.parse(text).devices[0].containerEdits.mounts[0];
  const mounted = join(hostPath, "kubeconfig");
  expect(await readFile(mounted, "utf8")).toBe("token: secret");
  expect((await stat(mounted)).mode & 0o777).toBe(0o444);
});

test("a new token appears in the folder that is mounted already", async () => {
  await using world = await useFiles();
  await world.files.write(claim, "old");
  const folder = join(world.directory, claim.uid, "mounted");
  const before = (await stat(folder)).ino;
  await world.files.write({ ...claim, renewAt: 9 }, "new");
  expect((await stat(folder)).ino).toBe(before);
  expect(await readFile(join(folder, "kubeconfig"), "utf8")).toBe("new");
});

test("after a restart of the node the CDI file is written again from what is left", async () => {
  await using world = await useFiles();
  await world.files.write(claim, "x");
  await rm(world.cdiDirectory, { recursive: true });
  for (const each of await world.files.list()) await world.files.writeCdi(each);
  expect(await readdir(world.cdiDirectory)).toHaveLength(1);
});

test("a claim is removed with all its files, twice without harm", async () => {
  await using world = await useFiles();
  await world.files.write(claim, "x");
  for (let time = 0; time < 2; time++) await world.files.remove(claim.uid);
  expect([await readdir(world.directory), await readdir(world.cdiDirectory)]).toEqual([[], []]);
});

test("a uid that is a path is refused", async () => {
  await using world = await useFiles();
  await expect(world.files.write({ ...claim, uid: "../../etc" }, "x")).rejects.toThrow(/expected the uid of a claim/);
  await expect(world.files.remove("../x")).rejects.toThrow(/expected the uid of a claim/);
});
