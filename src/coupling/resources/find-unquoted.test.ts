import { expect, test } from "vitest";
import { PlugData, PlugTemplate } from "#template";
import { findUnquoted } from "./find-unquoted.ts";
import { StandIns } from "./stand-ins.ts";

function unquotedIn(text: string, v: string): string[] {
  const standIns = new StandIns();
  const { apart } = new PlugTemplate(text).renderApart(new PlugData({ plugConfig: { v } }), {
    isOwn: () => false,
    standIn: (insertion) => standIns.for(insertion),
  });
  return findUnquoted(apart, standIns);
}

const v = "{% .plugConfig.v %}";

test.each([
  { text: `a: ${v}`, value: "it's", isFound: true, reason: "a quote" },
  { text: `a: ${v}`, value: "x: y", isFound: true, reason: "a colon and a space" },
  { text: `a: ${v}`, value: "x #y", isFound: true, reason: "what begins a comment" },
  { text: `a: "${v}"`, value: "x: y", isFound: false, reason: "between quotes" },
  { text: `a: '${v}'`, value: "x: y", isFound: false, reason: "between single quotes" },
  { text: `a: '${v}'`, value: "it's", isFound: true, reason: "a quote between quotes of its own kind" },
  { text: `a: "${v}"`, value: "it's", isFound: false, reason: "a quote between others" },
  { text: `a: "${v}"`, value: "x\ny", isFound: true, reason: "a newline, which quotes do not keep" },
  { text: "a: {% .plugConfig.v | quote %}", value: "x\ny", isFound: false, reason: "a newline that was quoted" },
  { text: "a: {% .plugConfig.v | squote %}", value: "x: y", isFound: false, reason: "quoted by squote" },
  { text: "a: {% .plugConfig | toJson %}", value: "x: y", isFound: false, reason: "as JSON" },
  { text: "a: {% .plugConfig.v | b64enc %}", value: "x: y", isFound: false, reason: "encoded" },
  { text: `a: "${v}"\nb: ${v}`, value: "x: y", isFound: true, reason: "once with and once without" },
  { text: `a: ${v}`, value: "plain", isFound: false, reason: "nothing to quote" },
  {
    text: `a: |${v.replace(" %", " | nindent 4 %")}`,
    value: "plain",
    isFound: false,
    reason: "indented by the author",
  },
])("D.2: $value in $text: $reason", ({ text, value, isFound }) => {
  expect(unquotedIn(text, value)).toHaveLength(isFound ? 1 : 0);
});

test("D.2: a value that went through a function is told by it", () => {
  expect(unquotedIn("a: {% .plugConfig.v | trim %}", " x: y")).toEqual([".plugConfig.v | trim"]);
});
