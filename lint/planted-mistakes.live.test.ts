import { execFile } from "node:child_process";
import { cp, mkdir, mkdtempDisposable, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { packageFile } from "#base";

const run = promisify(execFile);

interface LintReport {
  readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly help?: string }[];
}

test.each([
  {
    reason: "an exported name that another room exports",
    files: { "src/base/one.ts": "export type Planted = 1;", "src/kube/two.ts": "export interface Planted {}" },
    says: ["src/base/one.ts also exports Planted", "src/kube/two.ts also exports Planted"],
  },
  {
    reason: "an exported name that the console exports",
    files: { "src/base/one.ts": "export const planted = 1;", "console/src/two.tsx": "export function planted() {}" },
    says: ["console/src/two.tsx also exports planted", "src/base/one.ts also exports planted"],
  },
  {
    reason: "a file name that another room has",
    files: { "src/base/one.ts": "export const a = 1;", "src/kube/deeper/one.ts": "export const b = 1;" },
    says: ["src/base/one.ts has the same file name", "src/kube/deeper/one.ts has the same file name"],
  },
  {
    reason: "tests and the index.ts of rooms may repeat each other",
    files: {
      "src/base/index.ts": 'export { a } from "./a.ts";',
      "src/base/a.ts": "export const a = 1;",
      "src/base/a.test.ts": "export const a = 1;",
      "src/kube/index.ts": 'export { b } from "./b.ts";',
      "src/kube/b.ts": "export const b = 1;",
      "src/kube/a.test.ts": "export const a = 1;",
    },
    says: [],
  },
  {
    reason: "an import of a room above, and of a file in another room",
    files: {
      "src/base/one.ts": 'import { x } from "#kube";\nexport const a = x;',
      "src/kube/two.ts": 'import { a } from "../base/one.ts";\nexport const b = a;',
    },
    says: [
      "src/base may import no other room (see arrows.ts)",
      'leaves src/kube: import another room as "#room", never a file in it',
    ],
  },
  {
    reason: "code in the index.ts of a room",
    files: { "src/base/index.ts": "export const a = 1;" },
    says: ["a room's index.ts only re-exports; move this to a file"],
  },
])("the linter judges what is planted in a checkout: $reason", async ({ files, says }) => {
  await using checkout = await mkdtempDisposable(join(tmpdir(), "tenon-lint-"));
  const folder = checkout.path;
  for (const name of ["arrows.ts", "lint", "oxlint.config.ts", "package.json", "tsconfig.json"]) {
    await cp(packageFile(name), join(folder, name), { recursive: true });
  }
  await symlink(packageFile("node_modules"), join(folder, "node_modules"));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `${text}\n`);
  }
  const rules = /^(?:tenon|eslint)\((?:one-meaning|reexports-only|no-restricted-imports)\)$/;
  const oxlint = packageFile("node_modules", ".bin", "oxlint");
  const { stdout } = await run(oxlint, ["--format", "json", "src", "console"], { cwd: folder }).catch(
    (failure: { readonly stdout: string }) => failure,
  );
  const { diagnostics }: LintReport = JSON.parse(stdout);
  const found = diagnostics.flatMap(({ code, message, help = "" }) =>
    rules.test(code) ? `${message} ${help}`.trim() : [],
  );
  expect(found.toSorted()).toEqual(says.map((said) => expect.stringContaining(said)));
});
