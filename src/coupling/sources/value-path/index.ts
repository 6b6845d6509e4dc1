export { findValue } from "./find-value.ts";
export { parseValuePath } from "./parse-value-path.ts";
export type { Step, ValuePath } from "./value-path.ts";
