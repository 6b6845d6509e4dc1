import { silentLogger, systemClock } from "#base";
import { loadAccess } from "#kube";
import { loadFiles, serveConsole } from "#server";
import { preparePages } from "../../src/cli/console/prepare-pages.ts";
import { openBrowser } from "../../test/browser/open-browser.ts";

/** The page of a Release in the console of a cluster, as a PNG. */
export async function photographRelease(
  kubeconfig: string,
  { namespace, release }: { readonly namespace: string; readonly release: string },
): Promise<Uint8Array> {
  const { signal } = new AbortController();
  const links: string[] = [];
  await using server = await serveConsole({
    access: await loadAccess({ kubeconfig }),
    host: "127.0.0.1",
    port: 0,
    isReadOnly: false,
    files: await loadFiles(await preparePages({ env: process.env, stderr: process.stderr, signal })),
    onLink: (link) => links.push(link),
    clock: systemClock,
    log: silentLogger,
  });
  await using browser = await openBrowser();
  const { page } = await browser.newPerson();
  await page.goto(links.at(-1) ?? "");
  await page.getByRole("heading", { name: "Attention" }).waitFor();
  await page.emulateMedia({ colorScheme: "light" });
  // As high as the chain.
  await page.setViewportSize({ width: 1280, height: 766 });
  await page.goto(`${server.origin}/releases/${namespace}/${release}`);
  await page.getByText("Released", { exact: true }).first().waitFor();
  return await page.screenshot();
}
