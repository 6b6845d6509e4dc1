import { defineConfig, type OxlintOverride } from "oxlint";
import { layers, roomsBelow } from "./arrows.ts";

/** Another room is imported as `#room`, which is its index.ts; `..` must not climb out of one's own room. */
function arrowsOf(room: string): OxlintOverride[] {
  const below = roomsBelow(room);
  const foreignRoom = {
    regex: below.length > 0 ? `^#(?!(${below.join("|")})$)` : "^#",
    message: `src/${room} may import ${below.map((name) => `#${name}`).join(", ") || "no other room"} (see arrows.ts)`,
  };
  const outside = (depth: number) => ({
    regex: `^(\\.\\./){${depth}}`,
    message: `leaves src/${room}: import another room as "#room", never a file in it`,
  });
  return [1, 2].map((depth) => ({
    files: [depth === 1 ? `src/${room}/*.ts` : `src/${room}/*/**/*.ts`],
    rules: { "no-restricted-imports": ["error", { patterns: [foreignRoom, outside(depth)] }] },
  }));
}

export default defineConfig({
  jsPlugins: ["./lint/reexports-only.ts"],
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  options: { typeAware: true },
  rules: {
    "import/no-cycle": "error",
    "no-await-in-loop": "off",
    "no-console": "error",
    "no-underscore-dangle": "off",
    eqeqeq: "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": "error",
    "typescript/consistent-type-imports": "error",
    "import/no-default-export": "error",
    "vitest/no-focused-tests": "error",
    "vitest/no-disabled-tests": "error",
  },
  overrides: [
    ...layers.flat().flatMap(arrowsOf),
    { files: ["src/*/index.ts"], rules: { "tenon/reexports-only": "error" } },
    { files: ["*.config.ts", "lint/*.ts"], rules: { "import/no-default-export": "off" } },
    { files: ["bench/**/*.ts", "src/cli/**/*.ts"], rules: { "no-console": "off" } },
  ],
});
