import type { FunctionSet, GoFunction } from "#golang";
import { arithmetic, integerTexts, ranges, rounding } from "./arithmetic.ts";
import { baseEncoding } from "./base-encoding.ts";
import { type Cast, plugCast, sprigCast } from "./cast.ts";
import { certificates, plugCertificates } from "./generate-certificates.ts";
import { dates } from "./dates.ts";
import { decimals } from "./decimals.ts";
import { deepCopying, plugDeepCopying } from "./deep-copy.ts";
import { defaults, reflection } from "./defaults.ts";
import { dicts, merging } from "./dicts.ts";
import { encryption, hashes } from "./cryptography.ts";
import { json } from "./json.ts";
import { letters, plugLetters } from "./letters.ts";
import { listContents, lists, slicing } from "./lists.ts";
import { passwords } from "./passwords.ts";
import { paths } from "./paths.ts";
import { random } from "./random.ts";
import { regexes } from "./regex.ts";
import { plugVersions, versions } from "./semver.ts";
import { splitting } from "./splitting.ts";
import { plugStrings, strings, trimming } from "./strings.ts";
import { urls } from "./urls.ts";
import { wrapping } from "./wrapping.ts";

const shared: Record<string, GoFunction> = {
  ...baseEncoding,
  ...certificates,
  ...dates,
  ...decimals,
  ...deepCopying,
  ...defaults,
  ...dicts,
  ...encryption,
  ...hashes,
  ...integerTexts,
  ...json,
  ...letters,
  ...listContents,
  ...lists,
  ...merging,
  ...passwords,
  ...paths,
  ...random,
  ...ranges,
  ...reflection,
  ...regexes,
  ...splitting,
  ...strings,
  ...trimming,
  ...urls,
  ...versions,
  ...wrapping,
};

function withNumbersReadBy(cast: Cast): Record<string, GoFunction> {
  return { ...shared, ...arithmetic(cast), ...rounding(cast), ...slicing(cast) };
}

/** The functions of sprig 3.3, except those in `disabledInSprig`. */
export const sprigFunctions: FunctionSet = new Map(Object.entries(withNumbersReadBy(sprigCast)));

/** Functions that would reveal the machine or its network: they are refused when a template is parsed. */
export const disabledInSprig: ReadonlySet<string> = new Set(["env", "expandenv", "getHostByName"]);

/** Also without `hello`, which only greets. */
export const disabledInPlugs: ReadonlySet<string> = new Set([...disabledInSprig, "hello"]);

const plugNames = new Set(
  (
    "abbrev abbrevboth add add1 adler32sum ago append atoi b32dec b32enc b64dec b64enc base biggest buildCustomCert " +
    "camelcase cat ceil clean coalesce compact concat contains date dateInZone dateModify date_in_zone date_modify " +
    "decryptAES deepCopy deepEqual default derivePassword dict dir div empty encryptAES ext fail first float64 floor " +
    "genCA genPrivateKey genSelfSignedCert genSignedCert has hasKey hasPrefix hasSuffix htmlDate htmlDateInZone indent " +
    "initial initials int int64 isAbs join kebabcase keys kindIs kindOf last list lower max merge mergeOverwrite min " +
    "mod mul nindent nospace now omit pick pluck plural prepend push quote randAlpha randAlphaNum randAscii " +
    "randNumeric regexFind regexFindAll regexMatch regexReplaceAll regexReplaceAllLiteral regexSplit repeat replace " +
    "rest reverse round semver semverCompare set sha1sum sha256sum shuffle slice snakecase sortAlpha split splitList " +
    "splitn squote sub substr swapcase ternary title toDate toDecimal toJson toPrettyJson toString toStrings trim " +
    "trimAll trimPrefix trimSuffix trimall trunc tuple typeIs typeIsLike typeOf uniq unixEpoch unset until untilStep " +
    "untitle upper urlJoin urlParse uuidv4 values without wrap wrapWith"
  ).split(" "),
);

/** The functions of sprig 2.22, which Plugs and Sockets are written for: fewer, and some behave differently. */
export const plugFunctions: FunctionSet = new Map(
  Object.entries({
    ...withNumbersReadBy(plugCast),
    ...plugCertificates,
    ...plugDeepCopying,
    ...plugLetters,
    ...plugStrings,
    ...plugVersions,
  }).filter(([name]) => plugNames.has(name)),
);
