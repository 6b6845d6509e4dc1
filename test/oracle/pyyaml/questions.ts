import { InputError } from "#base";
import { parseYaml } from "#yaml";
import { scalarCases, structureCases } from "../../../src/yaml/read-cases.fixture.ts";
import { duplicateCases, refusedCases } from "../../../src/yaml/refused-cases.fixture.ts";
import { pool } from "../fuzz/pools.ts";
import { Random } from "../fuzz/random.ts";
import { anyYaml } from "../fuzz/yaml-text.ts";
import { canonicalJson } from "../ours.ts";
import type { PyyamlAnswer } from "./pyyaml.ts";

/** What we make of a text, in the form of PyYAML's answers. */
export function answerOurs(text: string): { readonly answer: PyyamlAnswer; readonly said: string } {
  try {
    return { answer: canonicalJson(parseYaml(text, { library: "pyyaml" })), said: "" };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { answer: null, said: error.what };
  }
}

/** Whether two answers differ for no reason that is known. `said` is why we do not read the text. */
export function differs(theirs: PyyamlAnswer, answer: PyyamlAnswer, said: string): boolean {
  if (theirs === undefined || theirs === answer) return false;
  return !refusals.some((pattern) => pattern.test(said));
}

/** What we refuse and PyYAML may read, by our words. */
const refusals: readonly RegExp[] = [
  // A key 1 beside a key "1": json.dumps writes both, and a reader of that JSON takes one of them.
  /already set in map/,
  // A value that the same key replaces later, or a tag of a map that is merged: PyYAML never looks at it.
  /^not valid YAML: (?:json: unsupported value|cannot decode)/,
  // A map that merges itself, and aliases without end.
  /contains itself|excessive aliasing|exceeded max depth/,
];

/** The texts of the cases that were recorded from Go, and what only PyYAML's rules tell apart. */
export function caseTexts(): readonly string[] {
  const texts = new Set([
    ...scalarCases.map(({ text }) => `v: ${text}\n`),
    ...[structureCases, refusedCases, duplicateCases].flatMap((cases) => cases.map(({ text }) => text)),
    ...scalars.map((text) => `v: ${text}\n`),
    ...scalars.filter((text) => !text.startsWith("!")).map((text) => `- ${text}\n`),
    ...keys.map((text) => `${text}: v\n`),
    ...documents,
  ]);
  return [...texts].filter((text) => text.isWellFormed());
}

const scalars = pool(
  "1234e56¦12e03¦1e3¦1E3¦1.0e3¦1.0e+3¦1.5E-2¦-1.0e+3¦1e+3¦.5¦-.5¦+.5¦5.¦._5¦.inf¦-.inf¦.nan¦+.nan¦1.0e+999¦1.10¦1.0",
  "08¦09¦00¦010¦-010¦+010¦0o14¦0O14¦0_7¦0_¦0b¦0b101¦0b_¦-0b11¦0B1¦9007199254740993¦123456789012345678901234567890",
  "0x1F¦0X1F¦0x_¦-0x1f¦1_000¦1__0¦_1¦1_¦-_1¦1_0.5_0¦+1¦+-1¦--1¦-0¦+0¦20200101",
  "1:30¦1:2:3¦-1:30¦01:30¦1:60¦1:5¦190:20:30¦1:30.5¦-1:30.25¦1:30:45.¦0:30¦0.0:1¦12:30:45¦10:00",
  "2020-01-01¦2020-1-1¦2020-13-45¦2020-01-01T10:00:00Z¦2020-01-01 10:00:00¦2020-1-1T1:00:00+1¦2020-01-01 10:00¦2020-01",
  "2020-01-01T10:00:00.123456789 -05:30¦y¦Y¦n¦N¦yes¦No¦ON¦off¦oFF¦True¦tRue¦null¦NULL¦nUll¦~¦~~¦=¦<<¦<¦==¦<<<",
  "!¦! 1¦!!str 1¦!!str yes¦!!int '1'¦!!int 0o17¦!!int x¦!!int 1:30¦!!int ''¦!!float 1¦!!float x¦!!float 1:30",
  "!!bool yes¦!!bool y¦!!bool 1¦!!null x¦!x y¦!!timestamp 2020-1-1¦!!timestamp x¦!!binary aGk=¦!!set {a, b}¦!!seq {}",
  '!!map []¦!!map {}¦"\\/"¦"\\x41\\u00e9\\U0001F600"¦"\\q"¦\'it\'\'s\'¦a: b¦a #b¦a#b¦@a¦`a¦%a¦a, b¦{a: 1}',
);

const keys = pool("1¦1.0¦1.5¦1e22¦1.0e+22¦1.0e-7¦true¦y¦no¦null¦~¦2020-01-01¦0x10¦=¦''");

const documents = [
  "",
  "# only a comment\n",
  "---\n",
  "a: 1\n---\n",
  "a: 1\n---\nb: 2\n",
  "---\n---\na: 1\n",
  "a: 1\n...\n",
  "%YAML 1.2\n---\na: 1\n",
  "%YAML 1.3\n---\na: 1\n",
  "a: 1\na: 2\n",
  "a: {b: 1, b: 2}\n",
  "base: &b {a: 1, b: 1}\nv:\n  a: 2\n  <<: *b\n",
  "base: &b {a: 1, b: 1}\nv:\n  <<: *b\n  a: 2\n",
  "l: &l [{a: 1}, {a: 2, b: 2}]\nv: {<<: *l}\n",
  "v: {<<: [{a: 1}, {a: 2, b: 2}], <<: {b: 3}}\n",
  "v: {<<: 1}\n",
  "v: {<<: [1]}\n",
  "v: {<<: }\n",
  "v: {!!merge x: {a: 1}}\n",
  'v: {"<<": {a: 1}}\n',
  "a: &x 1\nb: &x 2\n",
  "a: &x [1]\nb: *x\n",
  "a: *x\n",
  "a: &a [*a]\n",
  "{a:1, b: 2}\n",
  "{a:, b: 2}\n",
  "[a?b, c]\n",
  "[a:]\n",
  "{a: b?}\n",
  "{? a}\n",
  "[? a : b]\n",
  "[]: a\n",
  "[a, !!str , b]\n",
  "[!!str, b]\n",
  "a\n\ufeff: b\n",
  "a: 1\n\ufeffb: 2\n",
  "\ufeffa: 1\n",
  "a:\n\t- b\n",
  "a: 'x\n  y'\n",
  "a: b: c\n",
  "1: a\ntrue: b\n",
  "? [a]\n: b\n",
  "? {a: b}\n: c\n",
  "a: |\n  x\n   y\n\n  z\nb: >-\n  x\n  y\n",
  "a: \u0007\n",
  "a: \u0085b\n",
  "- - a\n  - b\n-\n",
];

/** So many generated texts are recorded, for machines without Python. */
export const recordedTexts = 3_000;
const recordedSeed = 1;

/** The generated texts whose answers are recorded: always the same. */
export function generatedTexts(): readonly string[] {
  const random = new Random(recordedSeed);
  return random.times(recordedTexts, () => anyYaml(random));
}
