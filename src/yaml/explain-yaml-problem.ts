import { InputError } from "#base";
import { textPositionOf, quoteLine } from "./text-position.ts";
import type { YamlProblem } from "./yaml-problem.ts";

/** What helps, by what libyaml says. The first that fits is right. */
const advice: readonly (readonly [RegExp, string])[] = [
  [/tab character/, "indent with spaces instead of tabs"],
  [/^mapping values are not allowed/, 'put the value in quotes if it contains ": ", or correct the indentation'],
  [/^(?:block sequence entries|mapping keys) are not allowed/, "begin it on a line of its own"],
  [/^did not find expected (?:key|'-' indicator)/, "indent this line like the entries before it"],
  [/^could not find expected ':'/, 'end the key with ": ", or indent the line if it belongs to the text above'],
  [/^did not find expected ',' or/, "close the bracket, or put a comma between the entries"],
  [/^did not find expected node content/, "put the value in quotes, or remove what does not belong here"],
  [/^did not find expected <document start>/, "separate documents by a line ---, or remove what follows the first one"],
  [/^did not find expected alphabetic or numeric/, "put a text that begins with & or * in quotes"],
  [/^found character that cannot start any token/, "put a text that begins so in quotes; indent with spaces, not tabs"],
  [/^found unexpected end of stream/, "close the quotes"],
  [/^found unexpected document indicator/, "close the quotes before it"],
  [/^found unknown escape character/, "write a backslash in double quotes twice, or use single quotes"],
  [/^found incompatible YAML document/, "remove the %YAML line: kubectl and Helm read YAML 1.1"],
  [/^found undefined tag handle/, "declare the tag's handle with %TAG, or remove the tag"],
  [/^invalid map key/, "put quotes around a text that begins with { or ["],
  [/^unsupported map key/, "give the entry a key that is a text"],
  [/already set in map/, "remove or rename one of them"],
  [/^unknown anchor/, "define the anchor before its alias, or put a text that begins with * in quotes"],
  [/contains itself/, "take the alias out of what it stands for"],
  [/excessive aliasing/, "write the values out instead of repeating them by aliases of aliases"],
  [/^exceeded max depth/, "nest less deeply"],
  [/^map merge requires/, "give << a map, or a list of maps"],
  [/^cannot decode/, "remove the tag, or write what it asks for"],
  [/base64/, "correct the base64, or remove the tag"],
  [/^json: unsupported value/, "put it in quotes: there is no such number in JSON"],
  [/^control characters/, "remove the character, or write it as an escape in double quotes"],
  [/UTF-8|Unicode/, "save the file as UTF-8"],
];

/** A problem for people: where it really is, the line itself, what to do. `text` is what was read. */
export function explainYamlProblem(
  { problem, position }: YamlProblem,
  text: string,
  file: string | undefined,
): InputError {
  const said = problem.replace(/^unmarshal errors:\n\s*line \d+: /, "").replace(/\n.*/s, "");
  const next = advice.find(([pattern]) => pattern.test(said))?.[1];
  if (position === undefined) return new InputError(said, { ...(file && { where: file }), ...(next && { next }) });
  const at = textPositionOf(text, position);
  const where = file === undefined ? `line ${at.line}, column ${at.column}` : `${file}:${at.line}:${at.column}`;
  const line = quoteLine(text, at);
  return new InputError(`not valid YAML: ${said}${line && `, in \`${line}\``}`, {
    where,
    ...(next && { next }),
  });
}
