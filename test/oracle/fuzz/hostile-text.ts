import { pool } from "./pools.ts";
import type { Random } from "./random.ts";

/** Strings that some reader or writer of YAML, JSON, TOML, Go or HTML takes for something else. */
const hostile: readonly string[] = pool(
  "¦ ¦  ¦\t¦\n¦\n\n¦\r\n¦ a¦a ¦a\n¦\na¦a\n\nb\n¦  indented\nless¦a\tb¦trailing \nspace¦true¦false¦True¦TRUE¦yes¦no",
  "Yes¦NO¦on¦off¦y¦n¦Y¦N¦null¦Null¦~¦nil¦<no value>¦0¦1¦-1¦+1¦01¦08¦0x1F¦0o17¦0b11¦1_000¦1e3¦1E3¦1.5¦.5¦5.¦-0¦1e400",
  "0x¦1__0¦.inf¦-.inf¦+.Inf¦.nan¦.NaN¦inf¦NaN¦1:30¦12:30:45¦2001-12-14¦2001-12-14t21:59:43.10-05:00",
  "2020-01-01 00:00:00¦=¦<<¦-¦- a¦-a¦--- a¦---¦...¦...a¦?¦? a¦?a¦:¦: a¦:a¦a:¦a: b¦a:b¦::¦a::b¦#¦# a¦a #b¦a# b¦a#b¦!",
  "!a¦!!str¦&¦&a¦*¦*a¦|¦|-¦>¦>a¦%¦%a¦@¦@a¦`¦`a`¦'¦''¦'a'¦\"¦\"\"¦\"a\"¦it's¦a\"b¦\\¦\\n¦a\\b¦[¦]¦[a]¦{¦}¦{a}¦{a: b}",
  ",¦a,b¦a, b¦<a>¦</script>¦&amp;¦a&b¦a=b¦$x¦${x}¦{{¦}}¦{{ .x }}¦%d¦%s%v¦%!d(string=x)¦a%¦\u0000¦\u0001¦\u001b",
  "\u{7f}¦\u{85}¦\u{a0}¦\u{2028}¦\u{2029}¦\u{feff}¦\u{fffd}¦\u{fffe}¦\u{ffff}¦\u{e000}¦\u{200b}¦é¦e\u{301}¦☃¦😀",
  "\u{10ffff}¦𝐱¦ß¦İ¦ı¦ſ¦ǅ¦ﬁ¦Σς¦ÄÖÜ¦日本語¦مرحبا¦a\u{ad}b¦constructor¦__proto__¦toString¦a.b¦a.b[0]¦a/b¦/a/b/¦..¦../a",
  "a-b_c¦A B C¦camelCaseText¦HTTPServer¦10¦9¦a10¦a9¦a1b¦1a¦1.2.3¦v1.2.3¦1.2.3-rc.1+meta¦1.2¦>=1.2.0¦^1.2.3 || ~2.0",
  "v1¦not.a.version¦aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word ",
  "a b\nc d\n  e\n",
  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
);

const alphabet = Array.from("aabbccxyzABZ0123 -_.:/,;'\"\\\n\t#{}[]&*!|>%@`=+<>()?$~^é☃😀\u0085\u2028\ufeff");

/** A string of the data or of a constant. */
export function anyText(random: Random): string {
  if (random.chance(0.6)) return random.pick(hostile);
  if (random.chance(0.2)) return random.pick(hostile) + random.pick(hostile);
  return random.times(random.below(8), () => random.pick(alphabet)).join("");
}

/** A string as a constant of a template: quoted, or raw where that is possible. */
export function constantText(random: Random, text: string): string {
  if (random.chance(0.2) && !/[`\r]/.test(text)) return `\`${text}\``;
  const quoted = JSON.stringify(text).replace(/\u2028|\u2029|\ufeff|\ufffe|\uffff/g, escapeUnicode);
  return random.chance(0.02) ? `${quoted.slice(0, -1)}\\xff"` : quoted;
}

function escapeUnicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
