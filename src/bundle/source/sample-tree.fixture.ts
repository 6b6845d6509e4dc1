import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A directory for a test; disposing deletes it. */
export interface SampleTree extends AsyncDisposable {
  readonly path: string;
  write(files: Readonly<Record<string, string | Buffer>>): Promise<void>;
}

export async function sampleTree(files: Readonly<Record<string, string | Buffer>> = {}): Promise<SampleTree> {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-bundle-"));
  async function write(more: Readonly<Record<string, string | Buffer>>): Promise<void> {
    for (const [path, content] of Object.entries(more)) {
      const file = join(directory.path, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  }
  await write(files);
  return { path: directory.path, write, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

/** The smallest valid data file. */
export function product(name: string): string {
  return `$schema: /app-sre/product-1.yml\nname: ${name}\n`;
}
