import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { largestFile, readArchive } from "./read-archive.ts";
import { archiveOf } from "./chart-archive.fixture.ts";

function names(archive: Uint8Array): string[] {
  return readArchive(archive, "chart.tgz").map(({ name }) => name);
}

describe("readArchive", () => {
  test("gives paths within the chart, whatever its folder is called, and says where they are from", () => {
    const files = readArchive(archiveOf([{ name: "any/Chart.yaml", text: "\ufeffname: c" }]), "chart.tgz");
    expect(files.map(({ name, origin }) => [name, origin])).toEqual([["Chart.yaml", "chart.tgz:any/Chart.yaml"]]);
    expect(Buffer.from(files[0]?.data ?? []).toString()).toBe("name: c");
  });

  test("reads archives that were made on Windows", () => {
    expect(names(archiveOf([{ name: "c\\templates\\a.yaml" }]))).toEqual(["templates/a.yaml"]);
  });

  test("tidies paths that stay inside", () => {
    expect(names(archiveOf([{ name: "c/a/../b//c" }, { name: "c/./d" }]))).toEqual(["b/c", "d"]);
  });

  test.each([
    { reason: "a path to the folder above", name: "c/../../etc/passwd", said: "leads out of the chart" },
    { reason: "a path that begins above", name: "c/..", said: "leads out of the chart" },
    { reason: "an absolute path", name: "c//etc/passwd", said: "absolute path" },
    { reason: "a file beside the chart", name: "Chart.yaml", said: "outside the chart's folder" },
    { reason: "a chart in a file's name", name: "Chart.yaml/x", said: "not in the chart's folder" },
    { reason: "a drive letter", name: "c\\d:\\x", said: "drive letter" },
  ])("refuses $reason, by name", ({ name, said }) => {
    expect(() => names(archiveOf([{ name: "c/Chart.yaml" }, { name }]))).toThrow(said);
    expect(() => names(archiveOf([{ name }]))).toThrow(/^chart\.tgz: /);
  });

  test.each(["1", "2", "3"])("refuses links and devices, flag %s", (flag) => {
    expect(() => names(archiveOf([{ name: "c/templates/a.yaml", flag }]))).toThrow("a link or a device");
  });

  test("refuses a file that is too large, and an archive that unpacks to too much", () => {
    const big = Buffer.alloc(largestFile + 1);
    expect(() => names(archiveOf([{ name: "c/big", text: big }]))).toThrow(
      "c/big is larger than a file of a chart may be",
    );
    const bomb = Buffer.concat(Array<Buffer>(130).fill(gzipSync(Buffer.alloc(1024 * 1024))));
    expect(() => names(bomb)).toThrow("larger than a chart may be");
  });

  test.each([
    { reason: "text", archive: Buffer.from("replicas: 1\n"), said: "does not begin as gzip does" },
    { reason: "nothing", archive: Buffer.alloc(0), said: "does not begin as gzip does" },
    {
      reason: "an archive that is cut off",
      archive: archiveOf([{ name: "c/a" }]).subarray(0, 40),
      said: "ends too early",
    },
    { reason: "a damaged archive", archive: archiveOf([{ name: "c/a" }]).fill(7, 10), said: "damaged" },
    { reason: "gzip of something else", archive: gzipSync("x".repeat(2000)), said: "no tar archive" },
    { reason: "an archive without files", archive: archiveOf([]), said: "holds no files" },
  ])("refuses $reason", ({ archive, said }) => {
    expect(() => names(archive)).toThrow(said);
  });
});
