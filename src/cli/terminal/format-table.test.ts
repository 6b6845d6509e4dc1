import { describe, expect, test } from "vitest";
import { type Column, formatTable } from "./format-table.ts";
import { textWidth } from "./text-width.ts";

interface Pod {
  readonly name: string;
  readonly image?: string;
  readonly restarts: number;
}

const columns: Column<Pod>[] = [
  { header: "name", value: ({ name }) => name, colour: ({ restarts }) => (restarts > 0 ? "red" : undefined) },
  { header: "image", value: ({ image }) => image },
  { header: "restart count", value: ({ restarts }) => restarts },
];

describe("formatTable", () => {
  test("a table is aligned by visible width, has no trailing spaces and marks empty cells", () => {
    const table = formatTable(
      [
        { name: "東京", image: "registry/a", restarts: 0 },
        { name: "plain", restarts: 12 },
      ],
      columns,
    );
    expect(table).toBe(
      ["NAME   IMAGE       RESTART-COUNT", "東京   registry/a  0", "plain  -           12", ""].join("\n"),
    );
  });

  test("a table shows escapes and newlines as text", () => {
    const table = formatTable([{ name: "a\u001B[2Jb\nc", restarts: 0 }], columns);
    expect(table.split("\n")).toHaveLength(3);
    expect(table).toContain("a\\u001b[2Jb\\nc");
  });

  test("a table without a width is not cut", () => {
    expect(formatTable([{ name: "n".repeat(500), restarts: 0 }], columns)).toContain("n".repeat(500));
  });

  test("a table cuts its widest column until the lines fit", () => {
    const rows = [
      { name: "n".repeat(30), image: "東".repeat(30), restarts: 0 },
      { name: "short", image: "i", restarts: 1 },
    ];
    const lines = formatTable(rows, columns, { width: 60 }).trimEnd().split("\n");
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(60);
    expect(lines[1]).toMatch(/^n+… {2}東+… +0$/);
    expect(new Set(lines.map((line) => textWidth(line.replace(/\S+$/, "")))).size).toBe(1);
  });

  test("a table colours the text of a cell and not its padding", () => {
    const table = formatTable([{ name: "a", restarts: 1 }], columns, {
      paint: (colour, text) => `<${colour}:${text}>`,
    });
    expect(table).toContain("<red:a>     -");
  });

  test("a table too wide for its terminal keeps whole names and the ends of paths", () => {
    const kept: Column<Pod>[] = [
      { header: "name", value: ({ name }) => name, keep: "all" },
      { header: "image", value: ({ image }) => image, keep: "end" },
    ];
    const rows = [{ name: "n".repeat(30), image: "quay.io/organization/repository:v1.2.3", restarts: 0 }];
    const [, line] = formatTable(rows, kept, { width: 45 }).split("\n");
    expect(line).toBe(`${"n".repeat(30)}  …itory:v1.2.3`);
  });

  test("a table that is too wide with all cells cut is printed without the columns it can do without", () => {
    const dispensed: Column<Pod>[] = [
      { header: "name", value: ({ name }) => name, keep: "all" },
      { header: "restarts", value: ({ restarts }) => restarts, isDispensable: true },
      { header: "image", value: ({ image }) => image, keep: "end" },
    ];
    const rows = [{ name: "n".repeat(30), image: "quay.io/organization/repository:v1.2.3", restarts: 7 }];
    expect(formatTable(rows, dispensed, { width: 50 })).toBe(
      `NAME${" ".repeat(28)}RESTARTS  IMAGE\n${"n".repeat(30)}  7         …:v1.2.3\n`,
    );
    expect(formatTable(rows, dispensed, { width: 47 })).toBe(
      `NAME${" ".repeat(28)}IMAGE\n${"n".repeat(30)}  …ository:v1.2.3\n`,
    );
    expect(formatTable(rows, dispensed)).toContain("RESTARTS");
  });

  test("a table is wider than its terminal rather than cut a name", () => {
    const kept: Column<Pod>[] = [{ header: "name", value: ({ name }) => name, keep: "all" }];
    expect(formatTable([{ name: "n".repeat(50), restarts: 0 }], kept, { width: 20 })).toContain("n".repeat(50));
  });

  describe("sentences about rows", () => {
    const told: Column<Pod>[] = [
      { header: "name", value: ({ name }) => name, keep: "all" },
      {
        header: "trouble",
        value: ({ restarts }) => (restarts > 0 ? `${restarts} restarts` : ""),
        below: ({ restarts }) => (restarts > 0 ? [`it was restarted ${restarts} times in the last few hours`] : []),
        colour: () => "red",
      },
    ];
    const rows = [
      { name: "a", restarts: 7 },
      { name: "b", restarts: 0 },
    ];

    test("sentences stay in the table if they fit", () => {
      expect(formatTable(rows, told, { width: 20 })).toBe("NAME  TROUBLE\na     7 restarts\nb     -\n");
    });

    test("a terminal gets no column in which nothing is said, and a program does", () => {
      const silent = [{ name: "a", restarts: 0 }];
      expect(formatTable(silent, told, { width: 80 })).toBe("NAME\na\n");
      expect(formatTable(silent, told)).toBe("NAME  TROUBLE\na     -\n");
    });

    test("sentences that do not fit are below the table, by the names of their rows, and wrapped", () => {
      expect(formatTable(rows, told, { width: 15 })).toBe(
        "NAME\na\nb\n\na\n  it was\n    restarted 7\n    times in\n    the last\n    few hours\n",
      );
    });

    test("sentences below the table are for people: escapes in them are text", () => {
      const [first] = told;
      const evil: Column<Pod> = { header: "trouble", value: () => "x".repeat(20), below: () => ["a\u001B[2Jb"] };
      expect(formatTable(rows, [...(first ? [first] : []), evil], { width: 15 })).toContain("a\\u001b[2Jb");
    });
  });
});
