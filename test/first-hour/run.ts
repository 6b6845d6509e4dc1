import { execFile } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { personAt, sharePackages } from "../pages/prepare-checkout.ts";
import { checkout, readPage } from "../pages/read-page.ts";
import { reportSeconds } from "../pages/report-seconds.ts";
import { Reader } from "../pages/run-page.ts";

const run = promisify(execFile);

/** In the order in which a newcomer reads them. */
export const firstPages: readonly string[] = [
  "README.md",
  "docs/tutorials/first-five-minutes.md",
  "docs/tutorials/manage-integrations.md",
  "docs/tutorials/couple-applications.md",
  "docs/tutorials/propose-a-release.md",
  "docs/tutorials/from-commit-to-running.md",
];

/**
 * Types what the pages say, in order, on a fresh clone with an empty home, where only the cluster is built already. Gives the
 * seconds that the commands of each page took.
 */
export async function liveFirstHour(pages: readonly string[] = firstPages): Promise<ReadonlyMap<string, number>> {
  await using home = await mkdtempDisposable(join(tmpdir(), "tenon-first-hour-"));
  const clone = join(home.path, "tenon");
  await run("git", ["clone", "--quiet", checkout, clone]);
  await sharePackages(clone);
  const env = await personAt(home.path);
  await using _ = {
    [Symbol.asyncDispose]: async () => void (await run(join(clone, "bin", "tenon"), ["cluster", "stop"], { env })),
  };
  const seconds = new Map<string, number>();
  for (const page of pages) {
    // A new terminal for each page: nothing is left of what was exported before.
    await using reader = await Reader.sitDown({ folder: clone, env });
    for (const block of await readPage(page)) await reader.follow(block);
    await reader.interruptOthers();
    seconds.set(page, reader.spentMs / 1000);
  }
  reportSeconds(seconds);
  return seconds;
}

if (import.meta.main) {
  const pages = process.argv.slice(2);
  await liveFirstHour(pages.length > 0 ? pages : firstPages);
}
