import { isUnicodeLetter, isNumber, isPunctuation, isUnicodeSpace, isUpper, toLower, toUpper } from "#golang";

function isConnector(codePoint: number): boolean {
  return codePoint === 0x2d || codePoint === 0x5f || isUnicodeSpace(codePoint);
}

interface CamelCaseOptions {
  /** A word all in capitals keeps the first one only, as xstrings 1.5 does. */
  readonly lowersCapitals: boolean;
}

/** `some_words` to `SomeWords`, as xstrings does it: connectors at the beginning and doubled ones stay. */
export function toCamelCase(text: string, { lowersCapitals }: CamelCaseOptions): string {
  const codes = Array.from(text.toWellFormed(), (character) => character.codePointAt(0) ?? 0);
  const start = codes.findIndex((code) => !isConnector(code));
  // Made of connectors only: the last one comes twice.
  if (start < 0) return text + text.slice(-1);
  const first = codes[start] ?? 0;
  let camel = text.slice(0, start);
  let isInCapitals = isUpper(first);
  let previous = toUpper(first);
  for (const code of codes.slice(start + 1)) {
    let current = code;
    if (!isConnector(previous)) {
      if (isInCapitals && isUpper(code)) current = lowersCapitals ? toLower(code) : code;
      else isInCapitals = false;
      camel += String.fromCodePoint(previous);
    } else if (isConnector(code)) {
      camel += String.fromCodePoint(previous);
    } else {
      isInCapitals = isUpper(code);
      current = toUpper(code);
    }
    previous = current;
  }
  return camel + String.fromCodePoint(previous);
}

type WordKind = "invalid" | "number" | "upper" | "alphabet" | "connector" | "punctuation" | "other";

interface Word {
  readonly kind: WordKind;
  readonly text: string;
}

const noWord: Word = { kind: "invalid", text: "" };

/** `HTTPServer2xx` to `http_server_2xx`, as xstrings does it, with any connector. */
export function toDelimitedCase(text: string, connector: "_" | "-"): string {
  const words = splitWords(text);
  const wordAt = (index: number): Word => words[index] ?? noWord;
  let output = "";
  let at = 0;
  const write = (word: Word): void => {
    output += lowerWord(word, connector);
  };
  /** A number and the small letters and numbers around it are one word. */
  const writeRun = (): void => {
    while (isSmall(wordAt(at))) {
      write(wordAt(at));
      at += 1;
    }
    if (wordAt(at).kind !== "invalid") separate();
  };
  const separate = (): void => {
    const { kind } = wordAt(at);
    if (kind !== "connector" && kind !== "punctuation") output += connector;
  };
  while (at < words.length - 1) {
    const word = wordAt(at);
    write(word);
    at += 1;
    if (word.kind === "connector" || word.kind === "punctuation") continue;
    if (word.kind === "number") {
      writeRun();
    } else if (wordAt(at).kind !== "number") {
      separate();
    } else if (at < words.length - 1) {
      const number = wordAt(at);
      at += 1;
      if (wordAt(at).kind === "alphabet") {
        output += connector;
        write(number);
        writeRun();
      } else {
        write(number);
        separate();
      }
    }
  }
  write(wordAt(at));
  return output;
}

function isSmall({ kind }: Word): boolean {
  return kind === "alphabet" || kind === "number";
}

function lowerWord({ kind, text }: Word, connector: string): string {
  if (kind !== "upper" && kind !== "connector") return text;
  let lowered = "";
  for (const character of text.toWellFormed()) {
    const code = character.codePointAt(0) ?? 0;
    lowered += isConnector(code) ? connector : String.fromCodePoint(isUpper(code) ? toLower(code) : code);
  }
  return lowered;
}

const replacement = 0xfffd;

/** Characters with their class; invalid UTF-8 belongs to the character behind it, at the end to the one before it. */
interface Character {
  readonly code: number;
  readonly text: string;
}

function readCharacters(text: string): Character[] {
  const characters: Character[] = [];
  let skipped = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code === replacement || (code >= 0xd800 && code <= 0xdfff)) {
      skipped += character;
      continue;
    }
    characters.push({ code, text: skipped + character });
    skipped = "";
  }
  if (skipped !== "") characters.push({ code: characters.at(-1)?.code ?? replacement, text: skipped });
  return characters;
}

function splitWords(text: string): Word[] {
  const characters = readCharacters(text);
  const words: Word[] = [];
  for (let at = 0; at < characters.length; ) {
    const [kind, length] = nextWord(characters, at);
    const parts = characters.slice(at, at + length).map((character) => character.text);
    words.push({ kind, text: parts.join("") });
    at += length;
  }
  return words;
}

function nextWord(characters: readonly Character[], at: number): [WordKind, number] {
  const code = characters[at]?.code ?? replacement;
  const run = (isMember: (code: number) => boolean, from = at + 1): number => {
    let end = from;
    while (end < characters.length && isMember(characters[end]?.code ?? 0)) end += 1;
    return end - at;
  };
  if (code === replacement) return ["invalid", 1];
  if (isConnector(code)) return ["connector", run(isConnector)];
  if (isPunctuation(code)) return ["punctuation", run(isPunctuation)];
  if (isUpper(code)) {
    const capitals = run(isUpper);
    const next = characters[at + capitals];
    if (capitals === 1) return ["upper", run(isSmallLetter)];
    // The last capital of HTTPStatus begins the next word.
    return ["upper", next && isAlphabet(next.code) ? capitals - 1 : capitals];
  }
  if (isAlphabet(code)) return ["alphabet", run(isSmallLetter)];
  if (isNumber(code)) return ["number", run(isNumber)];
  return ["other", run((next) => !(isConnector(next) || isAlphabet(next) || isNumber(next) || isPunctuation(next)))];
}

function isSmallLetter(code: number): boolean {
  return isAlphabet(code) && !isUpper(code);
}

/** A letter, except Chinese characters. */
function isAlphabet(code: number): boolean {
  const isChinese =
    (code >= 0x4e00 && code <= 0x9fcc) || (code >= 0x3400 && code <= 0x4d85) || (code >= 0x20000 && code <= 0x2b81d);
  return !isChinese && isUnicodeLetter(code);
}
