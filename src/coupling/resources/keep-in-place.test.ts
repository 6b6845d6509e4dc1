import { expect, test } from "vitest";
import { keepInPlace } from "./keep-in-place.ts";
import { readDocuments } from "./read-documents.ts";

const text = (value: string) => `kind: Job\nspec:\n  image: ours\n  args: [run, ${value}]\n  user: ${value}\n`;

function render(rendered: string, value: string): void {
  keepInPlace(rendered, readDocuments(rendered, "f"), new Map([["plugConfig.a", value]]), "f");
}

test.each([
  { reason: "another key", rendered: "a: {}\nuser: x\nimage: evil\n", value: "x\nimage: evil" },
  { reason: "another key in a flow", rendered: "a: {user: x, image: evil}\n", value: "x, image: evil" },
  { reason: "a key without a value", rendered: "a: {user: x, evil}\n", value: "x, evil" },
  { reason: "another item", rendered: text("x, --evil"), value: "x, --evil" },
  { reason: "another document", rendered: "a: x\n---\nb: c\n", value: "x\n---\nb: c" },
  { reason: "the quotes are closed", rendered: "a: 'x'\nb: 'c'\n", value: "x'\nb: 'c" },
  { reason: "the JSON is closed", rendered: '{"a": "x", "b": "c"}\n', value: 'x", "b": "c' },
  { reason: "what follows is commented out", rendered: "a: {b: x} # , c: d}\n", value: "x} #" },
  { reason: "an anchor that is used", rendered: "a: &b x\nb: c, *b\nc: {d: e}\nd: [f, *b]\n", value: "f, *b" },
])("a value that reaches beyond its place is refused, and named: $reason", ({ rendered, value }) => {
  expect(() => render(rendered, value)).toThrow(
    expect.objectContaining({
      what: "plugConfig.a would be more than a value there",
      where: "f",
      next: "pass it through quote or toJson",
    }),
  );
});

test.each([
  { reason: "a URL", rendered: text("http://h:80/a=b#c"), value: "http://h:80/a=b#c" },
  { reason: "between quotes", rendered: `a: "it's: #1"\n`, value: "it's: #1" },
  { reason: "as JSON", rendered: 'a: {"b":"x, y: z"}\n', value: "x, y: z" },
  { reason: "a list where it stands", rendered: 'a: ["b","c"]\nd: e\n', value: '["b","c"]' },
  { reason: "a map where it stands", rendered: "a:\n  b: c\n  d: e\nf: g\n", value: "\n  b: c\n  d: e" },
  { reason: "as a key", rendered: "a: {b/c@d, e: f}\n", value: "b/c@d" },
  { reason: "as part of a key", rendered: "a: {x-b*c: f}\n", value: "b*c" },
  { reason: "a comma, which the text has, too", rendered: "a: [b, c]\nd: ','\n", value: "," },
])("a value that stays in its place is fine: $reason", ({ rendered, value }) => {
  expect(() => render(rendered, value)).not.toThrow();
});
