import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const script = join(import.meta.dirname, "hostile", "render-alone.ts");
const megabytes = 50;

async function renderAlone(text: string): Promise<{ ending: string; growth: number }> {
  const running = run(process.execPath, [script]);
  running.child.stdin?.end(text);
  return JSON.parse((await running).stdout);
}

const nest = (depth: number, open: string, inner: string, close: string) =>
  open.repeat(depth) + inner + close.repeat(depth);

test.each([
  {
    reason: "loops in loops",
    text: "{% range .list %}{% range $.list %}{% range $.list %}x{% end %}{% end %}{% end %}",
  },
  { reason: "a template that calls itself", text: '{% define "a" %}{% template "a" %}{% end %}{% template "a" %}' },
  {
    reason: "two that call each other twice",
    text: '{% define "a" %}{% template "b" %}{% template "b" %}{% end %}{% define "b" %}{% template "a" %}{% template "a" %}{% end %}{% template "a" %}',
  },
  { reason: "a loop over a huge number", text: "{% range $i := 9223372036854775807 %}x{% end %}" },
  {
    reason: "a text that doubles",
    text: '{% $x := "ab" %}{% range until 60 %}{% $x = printf "%s%s" $x $x %}{% end %}{% $x %}',
  },
  { reason: "a list that doubles", text: "{% $x := list 1 2 %}{% range until 60 %}{% $x = concat $x $x %}{% end %}" },
  {
    reason: "a list of itself, printed",
    text: "{% $x := list 1 2 %}{% range until 60 %}{% $x = list $x $x %}{% end %}{% $x %}",
  },
  { reason: "a map that holds itself, printed", text: '{% $m := dict %}{% $_ := set $m "m" $m %}{% $m %}' },
  { reason: "a map that holds itself, as JSON", text: '{% $m := dict %}{% $_ := set $m "m" $m %}{% toJson $m %}' },
  { reason: "a huge repetition", text: '{% repeat 2147483647 "abcdefgh" %}' },
  { reason: "a huge indentation", text: '{% indent 2147483647 "a" %}' },
  { reason: "a huge width", text: '{% printf "%1000000d%1000000d" 1 1 %}' },
  { reason: "a huge list", text: "{% until 2147483647 %}" },
  { reason: "a huge random text", text: "{% randAlphaNum 2147483647 %}" },
  { reason: "much output, little by little", text: "{% range .list %}{% range $.list %}0123456789{% end %}{% end %}" },
  { reason: "a hundred thousand parentheses", text: `{% ${nest(100_000, "(", ".name", ")")} %}` },
  { reason: "ten thousand ifs", text: nest(10_000, "{% if .name %}", "x", "{% end %}") },
  { reason: "certificates without end", text: '{% range .list %}{% genCA "x" 365 %}{% end %}' },
  { reason: "passwords without end", text: '{% range .list %}{% derivePassword 1 "long" "p" "u" "s" %}{% end %}' },
])("ends in an error, and takes little memory: $reason", async ({ text }) => {
  const { ending, growth } = await renderAlone(text);
  expect(ending).toMatch(/^TemplateError: /);
  expect(growth).toBeLessThan(megabytes);
});

test.each([
  { reason: "nested repetition", text: '{% regexMatch "(a+)+$" (printf "%sb" (repeat 30000 "a")) %}' },
  { reason: "repetition of nothing", text: '{% regexMatch "(x*)*y" (repeat 30000 "x") %}' },
  { reason: "many alternatives", text: '{% regexMatch "(a|aa|aaa|aaaa)+$" (printf "%sb" (repeat 30000 "a")) %}' },
])("a hostile regular expression takes linear time and little memory: $reason", async ({ text }) => {
  const { ending, growth } = await renderAlone(text);
  expect(ending).toMatch(/^(TemplateError: .*(steps|ms)|it ended well)/);
  expect(growth).toBeLessThan(megabytes);
});
