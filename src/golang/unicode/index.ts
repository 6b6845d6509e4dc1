export { isLower, isNumber, isPunctuation, isSpace, isTitle, isUpper } from "./character-class.ts";
export { lowerText, mapText, toLower, toTitle, toUpper, upperText } from "./letter-case.ts";
export { trimSpace } from "./trim-space.ts";
