import { linearPatterns } from "./linear-patterns.ts";
import { oneMeaning } from "./one-meaning.ts";
import { reexportsOnly } from "./reexports-only.ts";

/** Our own lint rules. */
export default {
  meta: { name: "tenon" },
  rules: { "linear-patterns": linearPatterns, "one-meaning": oneMeaning, "reexports-only": reexportsOnly },
};
