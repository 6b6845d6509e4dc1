import { defineConfig, type OxlintOverride } from "oxlint";
import { layers, roomsBelow, testRooms } from "./arrows.ts";

/**
 * Another room is imported as `#room`, which is its index.ts; `..` must not climb out of one's own room. Tests and
 * fixtures may also import the test rooms and the fixtures of other rooms; nothing else may import a fixture.
 */
function arrowsOf(room: string): OxlintOverride[] {
  return ["", "*/**/", "*/*/**/"].flatMap((folder, index) => [
    restrict(room, [`src/${room}/${folder}*.ts`], index + 1, false),
    restrict(room, [`src/${room}/${folder}*.test.ts`, `src/${room}/${folder}*.fixture.ts`], index + 1, true),
  ]);
}

function restrict(room: string, files: string[], depth: number, isTest: boolean): OxlintOverride {
  const allowed = isTest ? [...roomsBelow(room), ...testRooms] : roomsBelow(room);
  // Named one by one: the linter's regular expressions know no lookahead, and take one that has it as matching nothing.
  const forbidden = [...layers.flat(), ...testRooms].filter((name) => !allowed.includes(name));
  const foreignRoom = {
    regex: `^#(${forbidden.join("|")})$`,
    message: `src/${room} may import ${allowed.map((name) => `#${name}`).join(", ") || "no other room"} (see arrows.ts)`,
  };
  // A fixture's name holds a dot before `.ts`, so the last part of this pattern passes fixtures by.
  const outside = {
    regex: isTest ? `^(\\.\\./){${depth}}(.*/)?[a-z0-9-]+\\.ts$` : `^(\\.\\./){${depth}}`,
    message: `leaves src/${room}: import another room as "#room", never a file in it`,
  };
  const fixture = { regex: "\\.fixture\\.ts$", message: "only tests and fixtures may import a fixture" };
  const patterns = isTest ? [foreignRoom, outside] : [foreignRoom, outside, fixture];
  return { files, rules: { "no-restricted-imports": ["error", { patterns }] } };
}

export default defineConfig({
  jsPlugins: ["./lint/tenon.ts"],
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  options: { typeAware: true },
  rules: {
    "import/no-cycle": "error",
    "no-await-in-loop": "off",
    "no-console": "error",
    "no-underscore-dangle": "off",
    // It takes the messages of worker threads for those of windows.
    "unicorn/require-post-message-target-origin": "off",
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
    { files: ["src/**/*.ts", "console/src/**/*.{ts,tsx}"], rules: { "tenon/one-meaning": "error" } },
    { files: ["src/**/index.ts"], rules: { "tenon/reexports-only": "error" } },
    {
      files: ["src/apparatus/**/*.ts", "src/coupling/**/*.ts"],
      excludeFiles: ["**/*.test.ts", "**/*.fixture.ts", "**/index.ts"],
      rules: { "import/max-dependencies": ["error", { max: 13 }] },
    },
    {
      files: ["golang", "template", "yaml", "base", "coupling", "kube", "oci"].map((room) => `src/${room}/**/*.ts`),
      excludeFiles: ["**/*.test.ts", "**/*.fixture.ts"],
      rules: { "tenon/linear-patterns": "error" },
    },
    { files: ["*.config.ts", "lint/*.ts", "console/*.config.ts"], rules: { "import/no-default-export": "off" } },
    // Settings and style sheets.
    {
      files: ["console/src/main.tsx", "console/src/graph/graph-page.tsx"],
      rules: { "import/no-unassigned-import": "off" },
    },
    { files: ["bench/**/*.ts", "src/cli/**/*.ts"], rules: { "no-console": "off" } },
  ],
});
