import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

const repository = join(import.meta.dirname, "..", "..");
const run = promisify(execFile);
let copy: string;

beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), "tenon-arrows-"));
  for (const file of ["package.json", "tsconfig.json", "oxlint.config.ts", "arrows.ts", "lint"]) {
    await cp(join(repository, file), join(copy, file), { recursive: true });
  }
  await symlink(join(repository, "node_modules"), join(copy, "node_modules"));
  await write("src/kube/index.ts", 'export { list } from "./list.ts";\n');
  await write("src/kube/list.ts", "export const list = 1;\n");
  await write("src/coupling/index.ts", 'export { couple } from "./couple.ts";\n');
  await write("src/coupling/couple.ts", 'import { list } from "#kube";\n\nexport const couple = list;\n');
});

afterEach(() => rm(copy, { recursive: true }));

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(copy, file)), { recursive: true });
  await writeFile(join(copy, file), text);
}

/** What the linter says of the copy, by the very configuration of this repository. */
async function lint(): Promise<string> {
  const outcome = run(join(repository, "node_modules", ".bin", "oxlint"), ["src"], { cwd: copy });
  return outcome.then(
    () => "clean",
    (error: { stdout: string }) => error.stdout,
  );
}

test("the sample source tree that each case below breaks has no lint error", async () => {
  await write("src/kube/fake-list.fixture.ts", "export const fakeList = 1;\n");
  await write(
    "src/coupling/couple.test.ts",
    'import { fakeList } from "../kube/fake-list.fixture.ts";\n\nvoid fakeList;\n',
  );
  await write("src/coupling/kinds/index.ts", 'export { list } from "./plug.ts";\n');
  expect(await lint()).toBe("clean");
});

test.each([
  {
    reason: "a lower room must not know a higher one",
    file: "src/kube/up.ts",
    text: 'import { couple } from "#coupling";\n\nexport const up = couple;\n',
    says: "src/kube may import #base",
  },
  {
    reason: "the three jobs never import each other",
    file: "src/promotion/release.ts",
    text: 'import { couple } from "#coupling";\n\nexport const release = couple;\n',
    says: "src/promotion may import",
  },
  {
    reason: "a file of another room is not its door",
    file: "src/coupling/reach.ts",
    text: 'import { list } from "../kube/list.ts";\n\nexport const reach = list;\n',
    says: "leaves src/coupling",
  },
  {
    reason: "nor from a folder in a room",
    file: "src/coupling/deep/reach.ts",
    text: 'import { list } from "../../kube/list.ts";\n\nexport const reach = list;\n',
    says: "leaves src/coupling",
  },
  {
    reason: "what tests stand on is for tests",
    file: "src/coupling/cheat.ts",
    text: 'import { world } from "#harness";\n\nexport const cheat = world;\n',
    says: "src/coupling may import",
  },
  {
    reason: "fixtures are for tests",
    file: "src/coupling/cheat.ts",
    text: 'import { clock } from "./clock.fixture.ts";\n\nexport const cheat = clock;\n',
    says: "only tests and fixtures may import a fixture",
  },
  {
    reason: "a test reaches no file of another room but its fixtures",
    file: "src/coupling/reach.test.ts",
    text: 'import { list } from "../kube/list.ts";\n\nexport const reach = list;\n',
    says: "leaves src/coupling",
  },
  {
    reason: "an exported name has one meaning",
    file: "src/coupling/list-plugs.ts",
    text: "export function list(): void {}\n",
    says: "src/kube/list.ts also exports list",
  },
  {
    reason: "a file name occurs once",
    file: "src/coupling/list.ts",
    text: "export const plugs = 1;\n",
    says: "src/kube/list.ts has the same file name",
  },
  {
    reason: "a door holds no code",
    file: "src/kube/index.ts",
    text: 'export { list } from "./list.ts";\n\nexport const more = 2;\n',
    says: "only re-exports",
  },
  {
    reason: "no cycles",
    file: "src/kube/list.ts",
    text: 'import { other } from "./other.ts";\n\nexport const list = other;\n',
    also: {
      file: "src/kube/other.ts",
      text: 'import { list } from "./list.ts";\n\nexport const other: number = list;\n',
    },
    says: "Dependency cycle",
  },
])("the lint fails: $reason", async ({ file, text, also, says }) => {
  await write(file, text);
  if (also) await write(also.file, also.text);
  expect(await lint()).toContain(says);
});
