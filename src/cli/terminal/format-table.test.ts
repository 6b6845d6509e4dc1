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
});
