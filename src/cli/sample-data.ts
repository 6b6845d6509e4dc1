import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Valid by itself. */
export const sampleProduct = "$schema: /app-sre/product-1.yml\nname: parcels\n";

/** A directory with these files, for a test. */
export async function sampleData(files: Readonly<Record<string, string>>): Promise<{ path: string } & AsyncDisposable> {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-data-"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory.path, path)), { recursive: true });
    await writeFile(join(directory.path, path), content);
  }
  return directory;
}
