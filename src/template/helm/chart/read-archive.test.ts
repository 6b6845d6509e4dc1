import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { largestFile, readArchive } from "./read-archive.ts";
import { archiveOf } from "./chart-archive.fixture.ts";

function names(archive: Uint8Array): string[] {
  return readArchive(archive, "chart.tgz").map(({ name }) => name);
}

describe("readArchive", () => {
  test("readArchive gives paths within the chart, whatever its folder is called, and their origin", () => {
    const files = readArchive(archiveOf([{ name: "any/Chart.yaml", text: "\ufeffname: c" }]), "chart.tgz");
    expect(files.map(({ name, origin }) => [name, origin])).toEqual([["Chart.yaml", "chart.tgz:any/Chart.yaml"]]);
    expect(Buffer.from(files[0]?.data ?? []).toString()).toBe("name: c");
  });

  test("readArchive reads archives made on Windows", () => {
    expect(names(archiveOf([{ name: "c\\templates\\a.yaml" }]))).toEqual(["templates/a.yaml"]);
  });

  test("readArchive normalizes paths that stay inside the chart", () => {
    expect(names(archiveOf([{ name: "c/a/../b//c" }, { name: "c/./d" }]))).toEqual(["b/c", "d"]);
  });

  test.each([
    { reason: "a path to the folder above", name: "c/../../etc/passwd", said: "path outside the chart" },
    { reason: "a path that begins above", name: "c/..", said: "path outside the chart" },
    { reason: "an absolute path", name: "c//etc/passwd", said: "absolute path" },
    { reason: "a file beside the chart", name: "Chart.yaml", said: "outside the chart's folder" },
    { reason: "a chart in a file's name", name: "Chart.yaml/x", said: "not in the chart's folder" },
    { reason: "a drive letter", name: "c\\d:\\x", said: "drive letter" },
  ])("an archive with $reason is refused by name", ({ name, said }) => {
    expect(() => names(archiveOf([{ name: "c/Chart.yaml" }, { name }]))).toThrow(said);
    expect(() => names(archiveOf([{ name }]))).toThrow(/^chart\.tgz: /);
  });

  test.each(["1", "2", "3"])("an archive with a link or device (tar flag %s) is refused", (flag) => {
    expect(() => names(archiveOf([{ name: "c/templates/a.yaml", flag }]))).toThrow("a link or a device");
  });

  test("an archive is refused if a file, or all of it unpacked, is too large", () => {
    const big = Buffer.alloc(largestFile + 1);
    expect(() => names(archiveOf([{ name: "c/big", text: big }]))).toThrow(
      "c/big is larger than the limit for a file of a chart",
    );
    const bomb = Buffer.concat(Array<Buffer>(130).fill(gzipSync(Buffer.alloc(1024 * 1024))));
    expect(() => names(bomb)).toThrow("larger than the limit");
  });

  test.each([
    { reason: "text", archive: Buffer.from("replicas: 1\n"), said: "expected gzip data" },
    { reason: "nothing", archive: Buffer.alloc(0), said: "expected gzip data" },
    {
      reason: "an archive that is cut off",
      archive: archiveOf([{ name: "c/a" }]).subarray(0, 40),
      said: "the archive is truncated",
    },
    { reason: "a damaged archive", archive: archiveOf([{ name: "c/a" }]).fill(7, 10), said: "damaged" },
    { reason: "gzip of something else", archive: gzipSync("x".repeat(2000)), said: "expected a tar archive" },
    { reason: "an archive without files", archive: archiveOf([]), said: "contains no files" },
  ])("readArchive refuses $reason", ({ archive, said }) => {
    expect(() => names(archive)).toThrow(said);
  });
});
