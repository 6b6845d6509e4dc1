import { describe, expect, test } from "vitest";
import { readTar } from "./read-tar.ts";
import { tarOf } from "./chart-archive.fixture.ts";

function read(archive: Uint8Array) {
  return [...readTar(archive)].map(({ name, type, data }) => ({ name, type, text: Buffer.from(data).toString() }));
}

describe("readTar", () => {
  test("readTar lists files with their data, and directories", () => {
    const archive = tarOf([{ name: "c/", flag: "5" }, { name: "c/a", text: "x".repeat(600) }, { name: "c/empty" }]);
    expect(read(archive)).toEqual([
      { name: "c/", type: "directory", text: "" },
      { name: "c/a", type: "file", text: "x".repeat(600) },
      { name: "c/empty", type: "file", text: "" },
    ]);
  });

  test("readTar reads long names of GNU and PAX", () => {
    const long = `c/${"n".repeat(200)}`;
    const record = `path=${long}\n`;
    const length = record.length + 1 + 3;
    const archive = tarOf([
      { name: "././@LongLink", flag: "L", text: `${long}\0` },
      { name: "c/cut", text: "gnu" },
      { name: "PaxHeader", flag: "x", text: `${length} ${record}` },
      { name: "c/cut", text: "pax" },
      { name: "pax_global_header", flag: "g", text: "11 comment=x" },
      { name: "c/short", text: "plain" },
    ]);
    expect(read(archive).map(({ name, text }) => [name, text])).toEqual([
      [long, "gnu"],
      [long, "pax"],
      ["c/short", "plain"],
    ]);
  });

  test("readTar distinguishes links and devices from files", () => {
    expect(
      read(
        tarOf([
          { name: "c/link", flag: "2" },
          { name: "c/null", flag: "3" },
        ]),
      ).map(({ type }) => type),
    ).toEqual(["other", "other"]);
  });

  test.each([
    {
      reason: "a truncated file",
      archive: tarOf([{ name: "a", size: 5000, text: "x" }]),
      said: "middle of a file",
    },
    {
      reason: "a truncated header",
      archive: tarOf([{ name: "a" }])
        .subarray(0, 700)
        .fill(1, 512),
      said: "middle of a header",
    },
    { reason: "something else", archive: Buffer.alloc(1024, "x"), said: "expected a tar archive" },
  ])("readTar refuses $reason", ({ archive, said }) => {
    expect(() => read(archive)).toThrow(said);
  });
});
