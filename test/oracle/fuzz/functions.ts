/**
 * What a generated argument may be meant as. `fresh` is a map that nothing else holds: functions that change their
 * argument would otherwise put a value into itself, and Go dies of that.
 */
const sortNames = [
  "any",
  "string",
  "int",
  "number",
  "bool",
  "list",
  "strings",
  "map",
  "fresh",
  "time",
  "unix",
  "semver",
  "printable",
  "constant",
  "key",
  "count",
  "index",
  "regex",
  "replacement",
  "layout",
  "date",
  "zone",
  "duration",
  "version",
  "constraint",
  "path",
  "url",
  "json",
  "yaml",
  "toml",
  "format",
  "type",
  "separator",
  "template",
  "name",
  "base64",
  "base32",
] as const;

export type Sort = (typeof sortNames)[number];

export const sorts: readonly Sort[] = sortNames;

/** A function as the generator calls it; the last parameter may repeat. */
export interface Signature {
  readonly name: string;
  readonly parameters: readonly Sort[];
  readonly repeats: boolean;
  readonly result: Sort;
}

const go = `
  and(any...) any · or(any...) any · not(any) bool · len(list) int · len(string) int · len(map) int
  index(list, index) any · index(map, key) any · index(map, key, key) any · index(string, index) int
  slice(string, index) string · slice(string, index, index) string · slice(list, index) list · slice(list) list
  eq(string, string...) bool · eq(int, int...) bool · eq(any, any...) bool · ne(string, string) bool · ne(int, int) bool
  lt(int, int) bool · le(string, string) bool · gt(string, string) bool · ge(int, int) bool · lt(number, number) bool
  print(any...) string · println(any...) string · printf(format, printable...) string · printf(format, string, int) string
  html(any...) string · js(any...) string · urlquery(any...) string · html(string) string · print(string) string
`;

const sprig = `
  abbrev(count, string) string · abbrevboth(index, count, string) string · add(number...) int · add1(number) int
  add1f(number) number · addf(number...) number · adler32sum(string) string · all(any...) bool · any(any...) bool
  append(list, any) list · atoi(string) int · b32dec(base32) string · b32enc(string) base32
  b64dec(base64) string · b64enc(string) base64 · base(path) path · biggest(number...) int · camelcase(string) string
  cat(any...) string · ceil(number) number · chunk(count, list) list · clean(path) path · coalesce(any...) any
  compact(list) list · concat(list...) list · contains(string, string) bool · date(layout, time) string
  date(layout, unix) string · dateInZone(layout, time, zone) string · dateInZone(layout, unix, zone) string
  dateModify(duration, time) time · date_in_zone(layout, time, zone) string · date_modify(duration, time) time
  deepCopy(any) any · deepEqual(any, any) bool · default(any, any...) any · dict(key, any, key, any) map
  dict(any...) map · dict() map · dig(key, any, map) any · dig(key, key, any, map) any · dir(path) path
  div(number, number) int · divf(number, number...) number · duration(any) string · durationRound(duration) string · durationRound(int) string
  empty(any) bool · ext(path) string · first(list) any · float64(any) number · floor(number) number
  fail(string) string · get(map, key) any · has(any, list) bool · hasKey(map, key) bool
  hasPrefix(string, string) bool · hasSuffix(string, string) bool · htmlDate(time) string
  htmlDateInZone(time, zone) string · indent(count, string) string · initial(list) list · initials(string) string
  int(any) int · int64(any) int · isAbs(path) bool · join(separator, list) string · join(separator, any) string
  kebabcase(string) string · kindIs(type, any) bool · kindOf(any) type · last(list) any · list(any...) list
  lower(string) string · max(number...) int · maxf(number...) number · merge(fresh, map...) map
  mergeOverwrite(fresh, map...) map · min(number...) int · minf(number...) number · mod(number, number) int
  mul(number...) int · mulf(number...) number · mustAppend(list, any) list · mustChunk(count, list) list
  mustCompact(list) list · mustDateModify(duration, time) time · mustDeepCopy(any) any · mustFirst(list) any
  mustFromJson(json) any · mustHas(any, list) bool · mustInitial(list) list · mustLast(list) any
  mustMerge(fresh, map...) map · mustMergeOverwrite(fresh, map...) map · mustPrepend(list, any) list
  mustPush(list, any) list · mustRegexFind(regex, string) string · mustRegexFindAll(regex, string, count) strings
  mustRegexMatch(regex, string) bool · mustRegexReplaceAll(regex, string, replacement) string
  mustRegexReplaceAllLiteral(regex, string, replacement) string · mustRegexSplit(regex, string, count) strings
  mustRest(list) list · mustReverse(list) list · mustSlice(list, index) list · mustToDate(layout, date) time
  mustToJson(any) json · mustToPrettyJson(any) json · mustToRawJson(any) json · mustUniq(list) list
  mustWithout(list, any...) list · must_date_modify(duration, time) time · nindent(count, string) string
  nospace(string) string · omit(map, key...) map · osBase(path) path · osClean(path) path · osDir(path) path
  osExt(path) string · osIsAbs(path) bool · pick(map, key...) map · pluck(key, map...) list
  plural(string, string, int) string · prepend(list, any) list · push(list, any) list · quote(any...) string
  regexFind(regex, string) string · regexFindAll(regex, string, count) strings · regexMatch(regex, string) bool
  regexQuoteMeta(string) string · regexReplaceAll(regex, string, replacement) string
  regexReplaceAllLiteral(regex, string, replacement) string · regexSplit(regex, string, count) strings
  repeat(count, string) string · replace(string, string, string) string · rest(list) list · reverse(list) list
  round(number, index) number · round(number, index, number) number · semver(version) semver
  semverCompare(constraint, version) bool · seq(count) string · seq(index, count) string
  seq(index, index, count) string · set(fresh, key, constant) map · sha1sum(string) string · sha256sum(string) string
  sha512sum(string) string · slice(list, index) list · snakecase(string) string · sortAlpha(list) strings
  sortAlpha(any) strings · split(separator, string) map · splitList(separator, string) strings
  splitn(separator, index, string) map · squote(any...) string · sub(number, number) int
  subf(number, number...) number · substr(index, count, string) string · swapcase(string) string
  ternary(any, any, bool) any · title(string) string · toDate(layout, date) time · toDecimal(string) int
  toJson(any) json · toPrettyJson(any) json · toRawJson(any) json · fromJson(json) any · toString(any) string
  toStrings(list) strings · trim(string) string · trimAll(string, string) string · trimPrefix(string, string) string
  trimSuffix(string, string) string · trimall(string, string) string · trunc(index, string) string
  tuple(any...) list · typeIs(type, any) bool · typeIsLike(type, any) bool · typeOf(any) type · uniq(list) list
  unixEpoch(time) string · unset(fresh, key) map · until(count) list · untilStep(index, count, index) list
  untitle(string) string · upper(string) string · urlJoin(map) url · urlParse(url) map · without(list, any...) list
  wrap(count, string) string · wrapWith(count, string, string) string · mustToDate(layout, string) time
`;

const helm = `
  toYaml(any) yaml · toYaml(map) yaml · toYamlPretty(any) yaml · fromYaml(yaml) map · fromYamlArray(yaml) list
  toJson(any) json · fromJson(json) map · fromJsonArray(json) list · toToml(map) toml · toToml(any) toml
  fromToml(toml) map · required(string, any) any · tpl(template, any) string · tpl(template, map) string
  include(name, any) string · lookup(string, string, string, string) map
`;

/**
 * Functions that must get what they ask for: else these take the time of the moment, show how much room Go left behind
 * the end of a list, or show the inside of a Go struct by a verb that is not for it.
 */
export const delicate: ReadonlySet<string> = new Set(
  "date dateInZone date_in_zone htmlDate htmlDateInZone durationRound slice mustSlice printf".split(" "),
);

/** The functions whose answer depends on chance, the clock, the machine or on Go's order of maps, and slow ones. */
export const unfuzzed: readonly string[] = (
  "ago now shuffle uuidv4 randAlpha randAlphaNum randAscii randBytes randInt randNumeric bcrypt htpasswd " +
  "encryptAES decryptAES derivePassword buildCustomCert genCA genCAWithKey genPrivateKey genSelfSignedCert " +
  "genSelfSignedCertWithKey genSignedCert genSignedCertWithKey env expandenv getHostByName keys values hello"
).split(" ");

/** What sprig 2.22 does not have. */
const newInSprig3 =
  /^(must.*|os[A-Z].*|.*f|all|any|chunk|dig|duration|durationRound|fromJson|get|regexQuoteMeta|seq|sha512sum|toRawJson)$/;

const languageFunctions = readSignatures(go);
const sprigFunctions = [...readSignatures(go), ...readSignatures(sprig)];
const helmFunctions = [...sprigFunctions, ...readSignatures(helm)];

/** The signatures to call from templates that have these functions. */
export const signatures = {
  go: languageFunctions,
  sprig: sprigFunctions,
  plug: sprigFunctions.filter(({ name }) => !newInSprig3.test(name) || name === "printf"),
  helm: helmFunctions,
} as const;

function readSignatures(text: string): Signature[] {
  return text
    .split(/[·\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const [, name = "", inside = "", result = ""] = /^(\w+)\((.*)\) (\w+)$/.exec(line) ?? [];
      const words = inside.split(", ").filter((word) => word !== "");
      const parameters = words.map((word) => asSort(word.replace("...", "")));
      return { name, parameters, repeats: inside.endsWith("..."), result: asSort(result) };
    });
}

function asSort(word: string): Sort {
  const sort = sorts.find((known) => known === word);
  if (!sort) throw new Error(`${word} is not a sort`);
  return sort;
}
