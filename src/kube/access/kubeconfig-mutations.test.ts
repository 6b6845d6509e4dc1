import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { InputError } from "#base";
import { fc } from "#seeded";
import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { loadAccess } from "./kubeconfig.ts";
import { sampleKubeconfig, sampleSecrets } from "./sample-kubeconfig.fixture.ts";

let home: string;
const clock = new FakeClock(Date.UTC(2030, 0, 1));

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "tenon-mutations-"));
});
afterAll(() => rm(home, { recursive: true }));

const context = fc.constantFrom(undefined, "work", "play", "plugged", "absent");

/** Parts of secrets that would give them away, too, when a mutation has cut them. */
const revealing = sampleSecrets.flatMap((secret) =>
  Array.from({ length: Math.ceil(secret.length / 6) }, (_, index) => secret.slice(index * 6, index * 6 + 12)).filter(
    (part) => part.length === 12,
  ),
);

/** The secrets, or parts of them, among all that a user could come to see of loading this. */
async function revealedBy(content: string, wanted: string | undefined): Promise<string[]> {
  const kubeconfig = join(home, "config");
  await writeFile(kubeconfig, content);
  try {
    const access = await loadAccess({ kubeconfig, context: wanted, env: {}, clock });
    const seen = inspect(access, { depth: 10 });
    return sampleSecrets.filter((secret) => seen.includes(secret));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const seen = `${error.stack}\n${inspect(error, { depth: 10 })}`;
    return revealing.filter((part) => seen.includes(part));
  }
}

/** Characters deleted, doubled, replaced or swapped at random places, lines and all. */
const textEdit = fc.record({
  at: fc.nat({ max: sampleKubeconfig.length }),
  length: fc.nat({ max: 40 }),
  text: fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.constantFrom("\n", ": ", "- ", "*", "&a", "!x", '"', "{", "\t", "\0", "? "),
  ),
});

test("a kubeconfig with random text edits is loaded or refused without showing secrets", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(textEdit, { minLength: 1, maxLength: 4 }), context, async (edits, wanted) => {
      const content = edits.reduce(
        (text, { at, length, text: added }) => text.slice(0, at) + added + text.slice(at + length),
        sampleKubeconfig,
      );
      expect(await revealedBy(content, wanted)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

const leaf = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1e21, "", "x", [], {}, [null], [{}]),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The value with what stands at a random place replaced. */
function replaceAt(value: unknown, choices: readonly number[], replacement: unknown): unknown {
  const [choice, ...rest] = choices;
  if (choice === undefined || typeof value !== "object" || value === null) return replacement;
  const entries = Object.entries(value);
  if (entries.length === 0) return replacement;
  const target = choice % entries.length;
  const changed = entries.map(([key, item], index) => [
    key,
    index === target ? replaceAt(item, rest, replacement) : item,
  ]);
  return Array.isArray(value) ? changed.map(([, item]) => item) : Object.fromEntries(changed);
}

test("a kubeconfig with random field values is loaded or refused without showing secrets", async () => {
  const sample = load(sampleKubeconfig);
  const place = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(place, leaf, context, async (choices, replacement, wanted) => {
      const content = JSON.stringify(replaceAt(sample, choices, replacement));
      expect(await revealedBy(content, wanted)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
