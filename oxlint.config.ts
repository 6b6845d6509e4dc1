import { defineConfig, type OxlintOverride } from "oxlint";
import { layers, roomsBelow, testRooms } from "./arrows.ts";

/** Another room is imported as `#room`, which is its index.ts; `..` must not climb out of one's own room. */
function arrowsOf(room: string): OxlintOverride[] {
  const below = roomsBelow(room);
  return [
    restrict(room, `src/${room}/*.ts`, 1, below),
    restrict(room, `src/${room}/*/**/*.ts`, 2, below),
    restrict(room, `src/${room}/*/*/**/*.ts`, 3, below),
    restrict(room, `src/${room}/*.test.ts`, 1, [...below, ...testRooms]),
    restrict(room, `src/${room}/*/**/*.test.ts`, 2, [...below, ...testRooms]),
    restrict(room, `src/${room}/*/*/**/*.test.ts`, 3, [...below, ...testRooms]),
  ];
}

function restrict(room: string, files: string, depth: number, allowed: readonly string[]): OxlintOverride {
  // Named one by one: the linter's regular expressions know no lookahead, and take one that has it as matching nothing.
  const forbidden = [...layers.flat(), ...testRooms].filter((name) => !allowed.includes(name));
  const foreignRoom = {
    regex: `^#(${forbidden.join("|")})$`,
    message: `src/${room} may import ${allowed.map((name) => `#${name}`).join(", ") || "no other room"} (see arrows.ts)`,
  };
  const outside = {
    regex: `^(\\.\\./){${depth}}`,
    message: `leaves src/${room}: import another room as "#room", never a file in it`,
  };
  return { files: [files], rules: { "no-restricted-imports": ["error", { patterns: [foreignRoom, outside] }] } };
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
