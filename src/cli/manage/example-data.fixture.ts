import { cp, mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const example = join(import.meta.dirname, "..", "..", "..", "examples", "data");

/** A copy of the example data with unique namespace names, so that tests can share a cluster. */
export async function copyExampleData(suffix: string): Promise<{ readonly path: string } & AsyncDisposable> {
  const directory = await mkdtempDisposable(join(tmpdir(), "tenon-manage-"));
  await cp(example, directory.path, { recursive: true });
  const services = join(directory.path, "data", "services");
  const files = (await readdir(services, { recursive: true })).filter((file) => file.endsWith(".yml"));
  for (const file of files) {
    const text = await readFile(join(services, file), "utf8");
    await writeFile(join(services, file), text.replace(/^name: (.*)$/m, `name: $1-${suffix}`));
  }
  return directory;
}

const List = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

/** The names in a list that an API server answered with. */
export function listedNames(body: unknown): string[] {
  return List.parse(body)
    .items.map(({ metadata }) => metadata.name)
    .toSorted();
}
