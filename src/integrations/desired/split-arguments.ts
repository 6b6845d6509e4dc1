import { InputError } from "#base";

/** The arguments of one line, as a shell without variables would split it; single and double quotes keep spaces. */
export function splitArguments(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let rest = line;
  while (rest !== "") {
    const match =
      /^(?:(?<space>\s+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[^])*)"|\\(?<escaped>[^])|(?<plain>[^\s'"\\]+))/.exec(
        rest,
      );
    if (!match?.groups) {
      throw new InputError(`the arguments ${JSON.stringify(line)} have an unclosed quotation mark`, {
        next: "close the quotation mark",
      });
    }
    const { space, single, double, escaped, plain } = match.groups;
    if (space === undefined) {
      word = (word ?? "") + (single ?? double?.replaceAll(/\\(["\\])/g, "$1") ?? escaped ?? plain ?? "");
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
    rest = rest.slice(match[0].length);
  }
  return word === undefined ? words : [...words, word];
}
