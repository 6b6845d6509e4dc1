import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";

/** V8 ends a thread whose heap outgrows this, and the wait for its answer rejects. Our code alone takes about 20 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 96 };
const alone = new Worker(join(import.meta.dirname, "hostile", "render-alone.ts"), { resourceLimits });

afterAll(() => alone.terminate());

async function renderAlone(text: string): Promise<unknown> {
  const answer = once(alone, "message");
  alone.postMessage(text);
  return (await answer)[0];
}

const nest = (depth: number, open: string, inner: string, close: string) =>
  open.repeat(depth) + inner + close.repeat(depth);

/** Keeps what an expression makes of `$x`, again and again. */
const kept = (expression: string, start = 'repeat 1000000 "a"') =>
  `{% $l := list %}{% $x := ${start} %}{% range until 400 %}{% $l = append $l (${expression}) %}{% end %}`;

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
  { reason: "a list that is large, though not huge", text: "{% $x := until 1000000 %}" },
  { reason: "large lists", text: kept("until 10000") },
  { reason: "large lists by steps", text: kept("untilStep 0 30000 3") },
  { reason: "large texts", text: kept('repeat 1000000 "a"') },
  { reason: "large texts in capitals", text: kept("upper $x") },
  { reason: "large texts in base64", text: kept("b64enc $x", 'repeat 500000 "a"') },
  { reason: "a large text, letter by letter", text: kept("title $x") },
  { reason: "texts as queries", text: kept("urlquery $x", 'repeat 300000 "&"') },
  { reason: "texts as JSON", text: kept("toJson $x") },
  { reason: "texts split", text: kept('splitList "b" $x', 'repeat 40000 "ab"') },
  { reason: "texts split into maps", text: kept('split "b" $x', 'repeat 10000 "ab"') },
  { reason: "lists of texts", text: kept("toStrings $x", "until 10000") },
  { reason: "lists sorted", text: kept("sortAlpha $x", "until 10000") },
  { reason: "lists with one more", text: kept("append $x 1", "until 10000") },
  { reason: "a huge random text", text: "{% randAlphaNum 2147483647 %}" },
  { reason: "much output, little by little", text: "{% range .list %}{% range $.list %}0123456789{% end %}{% end %}" },
  { reason: "a hundred thousand parentheses", text: `{% ${nest(100_000, "(", ".name", ")")} %}` },
  { reason: "ten thousand ifs", text: nest(10_000, "{% if .name %}", "x", "{% end %}") },
  { reason: "keys without end", text: '{% range .list %}{% genPrivateKey "ecdsa" %}{% end %}' },
  {
    reason: "words that do nothing, again and again",
    text: `{% range $i := 1000000 %}{% $_ := or ${"$.nothing.at.all ".repeat(5_000)} %}{% end %}`,
  },
  {
    reason: "a large map, asked again and again whether it is empty",
    text: "{% $m := dict %}{% range $i := 100000 %}{% $_ := set $m (toString $i) 1 %}{% end %}{% range $i := 1000000 %}{% if $m %}{% end %}{% end %}",
  },
  { reason: "passwords without end", text: '{% range .list %}{% derivePassword 1 "long" "p" "u" "s" %}{% end %}' },
])("a hostile template ends in an error, in a small heap: $reason", async ({ text }) => {
  expect(await renderAlone(text)).toMatch(/^TemplateError: /);
});

test.each([
  { reason: "nested repetition", text: '{% regexMatch "(a+)+$" (printf "%sb" (repeat 30000 "a")) %}' },
  { reason: "repetition of nothing", text: '{% regexMatch "(x*)*y" (repeat 30000 "x") %}' },
  { reason: "many alternatives", text: '{% regexMatch "(a|aa|aaa|aaaa)+$" (printf "%sb" (repeat 30000 "a")) %}' },
])("a hostile regular expression takes linear time, in a small heap: $reason", async ({ text }) => {
  expect(await renderAlone(text)).toMatch(/^(TemplateError: .*steps|it ended well)/);
});

test("a rendering never waits for an RSA key: the first asks for one, and a later one gets it", async () => {
  const text = '{% (genCA "x" 365).Cert | trunc 27 %}';
  expect(await renderAlone(text)).toBe("KeyPending: a new RSA key is still being made; try again");
  await expect.poll(() => renderAlone(text), { timeout: 5 * 60_000 }).toBe("it ended well");
});
