export { findAll, findFirst } from "./find-all.ts";
export type { GoRegexp } from "./go-regexp.ts";
export { compileRegexp } from "./regexp-cache.ts";
export { replaceAll, replaceAllLiteral } from "./replace-all.ts";
export { matchesWhole } from "./whole-match.ts";
