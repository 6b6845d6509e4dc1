import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startWithAddons } from "./start-with-addons.ts";

const never = new AbortController().signal;
const tekton = { version: "1.15.0", hash: "abc", isComplete: true };

async function startIn(instance: object, record: object | undefined, options: object) {
  await using folder = await mkdtempDisposable(join(tmpdir(), "tenon-addons-"));
  const home = { cache: join(folder.path, "cache"), data: join(folder.path, "data") };
  await mkdir(join(home.data, "a"), { recursive: true });
  await writeFile(join(home.data, "a", "instance.json"), JSON.stringify(instance));
  if (record) await writeFile(join(home.data, "a", "tekton.json"), JSON.stringify(record));
  await startWithAddons({ home, name: "a", ...options }, never);
}

const instance = { kubernetes: "v1.37.1", port: 20_000, fakeNodes: 2 };

test.for([
  { reason: "no node is asked for", node: false, options: { tekton: true }, next: "add --node" },
  {
    reason: "the node is to go, and Tekton is remembered",
    node: true,
    record: tekton,
    options: { node: false },
    next: "add --no-tekton, which deletes Tekton with its pipelines and runs",
  },
])(
  "Tekton without a real node is refused before anything is built: $reason",
  async ({ node, record, options, next }) => {
    const starting = startIn({ ...instance, node }, record, options);
    await expect(starting).rejects.toMatchObject({ name: "InputError", next });
  },
);
