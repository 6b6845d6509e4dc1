import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A valid data file. */
export const sampleProduct = "$schema: /app-sre/product-1.yml\nname: parcels\n";

/** A temporary directory with these files. */
export async function createDataDirectory(
  files: Readonly<Record<string, string>>,
): Promise<{ path: string } & AsyncDisposable> {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-data-"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory.path, path)), { recursive: true });
    await writeFile(join(directory.path, path), content);
  }
  return directory;
}
