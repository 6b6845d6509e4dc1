export { decodeJson } from "./encode/decode-json.ts";
export { EncodingError } from "./encode/json-shape.ts";
export { fromJson, fromJsonArray, fromYaml, fromYamlArray } from "./encode/from-text.ts";
export { fromToml } from "./encode/from-text.ts";
export { encodeJson, type JsonStyle } from "./encode/json-writer.ts";
export { toJson } from "./encode/to-text.ts";
export { toToml } from "./encode/to-text.ts";
export { toYaml, toYamlPretty } from "./encode/to-text.ts";
export { findAll, findFirst } from "./regexp/go-regexp.ts";
export { GoRegexp } from "./regexp/go-regexp.ts";
export { compileRegexp } from "./regexp/go-regexp.ts";
export { replaceAll, replaceAllLiteral } from "./regexp/replace-all.ts";
export { matchesWhole } from "./regexp/whole-match.ts";
export { parseConstraint1, satisfies1 } from "./semver/constraint-1.ts";
export { parseConstraint, satisfies } from "./semver/constraint-3.ts";
export { satisfiesConstraint } from "./semver/constraint-3.ts";
export { versionValue, versionValue1 } from "./semver/version-value.ts";
export { parseVersion, type Version, version1 } from "./semver/version.ts";
export {
  formatGoDuration,
  parseGoDuration,
  roundGoDuration,
  nanosecondsPerSecond,
} from "./time/go-duration.ts";
export { formatTime } from "./time/format-time.ts";
export { GoTime, unixTime, zeroTime } from "./time/go-time.ts";
export { parseTime } from "./time/parse-time.ts";
export { timeOf, timeValue } from "./time/time-value.ts";
export { loadZone, localZone } from "./time/zone-database.ts";
export { utc } from "./time/zone.ts";
export { isLower, isNumber, isPunctuation, isUnicodeSpace, isTitle, isUpper } from "./unicode/character-class.ts";
export { lowerText, mapText, toLower, toTitle, toUpper, upperText } from "./unicode/letter-case.ts";
export { trimSpace } from "./unicode/character-class.ts";
export { Budget, chartLimits, LimitError, type Limits, tenantLimits } from "./value/budget.ts";
export { byteLength, compareStrings, fromBytes, canonicalBytes, toBytes } from "./value/bytes.ts";
export { equals, equalsAny, isLess } from "./value/compare.ts";
export { deepEqual } from "./value/compare.ts";
export { formatFloat, formatShortest } from "./value/format-float.ts";
export { printValue, sprint, sprintf, sprintln } from "./value/format.ts";
export {
  type ArgumentValue,
  type CallContext,
  FunctionError,
  type FunctionSet,
  type GoFunction,
  goFunction,
  type ParameterType,
  variadicFunction,
} from "./value/go-function.ts";
export { integersOf } from "./value/integers-of.ts";
export { elementsOf, isGoObject, isPlainMap, kindName, typeName } from "./value/kind.ts";
export { mapGet, mapView, newMap, sortedKeys } from "./value/map-view.ts";
export { parseFloat64, parseInteger } from "./value/parse-number.ts";
export { canBackquote, quote, unquote, unquoteCharacter } from "./value/quote.ts";
export { isTrue } from "./value/truth.ts";
export {
  Bytes,
  Complex,
  GoMap,
  Int,
  int,
  int64,
  isIntKind,
  Named,
  Slice,
  Struct,
  TypedNil,
} from "./value/typed-values.ts";
export { isUnicodeDigit, isUnicodeLetter, isPrintable } from "./unicode/printable.ts";
export { type GoObject, type GoValue } from "./value/value.ts";
export { checkDepth, weigh } from "./value/weigh.ts";
export { createCertificate, parseIp, type Signer } from "./x509/create-certificate.ts";
export { parseCertificate } from "./x509/parse-certificate.ts";
export { decodePem, encodePem } from "./x509/pem.ts";
export {
  explainMalformed,
  parsePkcs1,
  parsePrivateKeyPem,
  type PrivateKey,
  privateKeyPem,
} from "./x509/private-key.ts";
