import { describe, expect, it } from "vitest";
import { TemplateSet } from "../go-template/index.ts";
import type { FunctionSet } from "#golang";
import { disabledInPlugs, disabledInSprig, plugFunctions, sprigFunctions } from "./sprig-functions.ts";

/** The keys of `sprig.TxtFuncMap()`, as Go prints them. */
const namesIn3 =
  "abbrev abbrevboth add add1 add1f addf adler32sum ago all any append atoi b32dec b32enc b64dec b64enc base " +
  "bcrypt biggest buildCustomCert camelcase cat ceil chunk clean coalesce compact concat contains date " +
  "dateInZone dateModify date_in_zone date_modify decryptAES deepCopy deepEqual default derivePassword dict dig " +
  "dir div divf duration durationRound empty encryptAES env expandenv ext fail first float64 floor fromJson " +
  "genCA genCAWithKey genPrivateKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert " +
  "genSignedCertWithKey get getHostByName has hasKey hasPrefix hasSuffix hello htmlDate htmlDateInZone htpasswd " +
  "indent initial initials int int64 isAbs join kebabcase keys kindIs kindOf last list lower max maxf merge " +
  "mergeOverwrite min minf mod mul mulf mustAppend mustChunk mustCompact mustDateModify mustDeepCopy mustFirst " +
  "mustFromJson mustHas mustInitial mustLast mustMerge mustMergeOverwrite mustPrepend mustPush mustRegexFind " +
  "mustRegexFindAll mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit mustRest " +
  "mustReverse mustSlice mustToDate mustToJson mustToPrettyJson mustToRawJson mustUniq mustWithout " +
  "must_date_modify nindent nospace now omit osBase osClean osDir osExt osIsAbs pick pluck plural prepend push " +
  "quote randAlpha randAlphaNum randAscii randBytes randInt randNumeric regexFind regexFindAll regexMatch " +
  "regexQuoteMeta regexReplaceAll regexReplaceAllLiteral regexSplit repeat replace rest reverse round semver " +
  "semverCompare seq set sha1sum sha256sum sha512sum shuffle slice snakecase sortAlpha split splitList splitn " +
  "squote sub subf substr swapcase ternary title toDate toDecimal toJson toPrettyJson toRawJson toString " +
  "toStrings trim trimAll trimPrefix trimSuffix trimall trunc tuple typeIs typeIsLike typeOf uniq unixEpoch " +
  "unset until untilStep untitle upper urlJoin urlParse uuidv4 values without wrap wrapWith";

const namesIn2 =
  "abbrev abbrevboth add add1 adler32sum ago append atoi b32dec b32enc b64dec b64enc base biggest " +
  "buildCustomCert camelcase cat ceil clean coalesce compact concat contains date dateInZone dateModify " +
  "date_in_zone date_modify decryptAES deepCopy deepEqual default derivePassword dict dir div empty encryptAES " +
  "env expandenv ext fail first float64 floor genCA genPrivateKey genSelfSignedCert genSignedCert getHostByName " +
  "has hasKey hasPrefix hasSuffix hello htmlDate htmlDateInZone indent initial initials int int64 isAbs join " +
  "kebabcase keys kindIs kindOf last list lower max merge mergeOverwrite min mod mul nindent nospace now omit " +
  "pick pluck plural prepend push quote randAlpha randAlphaNum randAscii randNumeric regexFind regexFindAll " +
  "regexMatch regexReplaceAll regexReplaceAllLiteral regexSplit repeat replace rest reverse round semver " +
  "semverCompare set sha1sum sha256sum shuffle slice snakecase sortAlpha split splitList splitn squote sub " +
  "substr swapcase ternary title toDate toDecimal toJson toPrettyJson toString toStrings trim trimAll " +
  "trimPrefix trimSuffix trimall trunc tuple typeIs typeIsLike typeOf uniq unixEpoch unset until untilStep " +
  "untitle upper urlJoin urlParse uuidv4 values without wrap wrapWith";

const sets = [
  { reason: "sprig 3.3", names: namesIn3, functions: sprigFunctions, disabled: disabledInSprig },
  { reason: "sprig 2.22", names: namesIn2, functions: plugFunctions, disabled: disabledInPlugs },
];

describe.each(sets)("the functions of $reason", ({ names, functions, disabled }) => {
  it("are all there but for those that are disabled", () => {
    const wanted = names.split(" ").filter((name) => !disabled.has(name));
    expect([...functions.keys()].toSorted()).toEqual(wanted.toSorted());
  });

  it.each([...disabled])("%s is refused when a template is parsed", (name) => {
    expect(() => parse(`a\n{{ if false }}{{ ${name} "x" }}{{ end }}`, functions, disabled)).toThrow(
      `template: t:2: function "${name}" is disabled`,
    );
  });
});

it("Plugs have none of the functions that came after 2.22", () => {
  expect(() => parse('{{ dig "a" "b" . }}', plugFunctions, disabledInPlugs)).toThrow('function "dig" not defined');
});

function parse(text: string, functions: FunctionSet, disabled: ReadonlySet<string>): void {
  new TemplateSet({ functions, disabled }).parse("t", text);
}
