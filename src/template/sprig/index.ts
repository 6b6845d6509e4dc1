export { disabledInPlugs, disabledInSprig, plugFunctions, sprigFunctions } from "./sprig-functions.ts";
export { takeKeysFrom } from "./generate-certificates.ts";
export { KeyPending, type KeySource, KeyStock } from "./slow-keys.ts";
