export { disabledInPlugs, disabledInSprig, plugFunctions, sprigFunctions } from "./sprig-functions.ts";
