import { once } from "node:events";
import { createLogger, InputError, systemClock } from "#base";
import { loadAccess } from "#kube";
import { isLoopbackHost, loadFiles, serveConsole } from "#server";
import { nameCluster } from "../cluster/name-cluster.ts";
import { readableLog } from "../control/readable-log.ts";
import { readTenonConfig } from "../control/tenon-config.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { preparePages } from "./prepare-pages.ts";

export interface ConsoleChoice extends ClusterChoice {
  readonly port: number;
  readonly host: string;
  readonly publicUrl?: string;
  readonly readOnly: boolean;
  readonly writable: boolean;
}

/** Serves the console until interrupted. */
export async function runConsole(choice: ConsoleChoice, shell: Shell): Promise<void> {
  const { host, port } = choice;
  const publicUrl = choice.publicUrl === undefined ? undefined : parsePublicUrl(choice.publicUrl);
  if (!publicUrl && !isLoopbackHost(host)) {
    throw new InputError(`others can reach ${host}, and tokens would travel unencrypted`, {
      where: "--host",
      next: "put a proxy with TLS before the console, and name its address with --public-url",
    });
  }
  const config = await readTenonConfig(undefined);
  const access = await loadAccess({ ...(await nameCluster(choice, config, shell)), env: shell.env });
  const files = await loadFiles(await preparePages(shell));
  const isReadOnly = choice.readOnly || (publicUrl !== undefined && !choice.writable);
  let isFirst = true;
  await using server = await serveConsole({
    access,
    host,
    port,
    publicUrl,
    isReadOnly,
    files,
    clock: systemClock,
    log: createLogger({ destination: shell.stderr.isTTY ? readableLog(shell) : shell.stderr }),
    // Who holds the link has the rights of who started the console: it is for the same machine only.
    ...(publicUrl
      ? {}
      : {
          onLink: (link: string) => {
            const purpose = isFirst ? "log in with this link, which works once, within 15 min" : "for another browser";
            isFirst = false;
            shell.stdout.write(`${purpose}:\n  ${link}\n`);
          },
        }),
  });
  shell.stdout.write(`the console of ${access.context} is at ${server.origin}${isReadOnly ? ", read-only" : ""}\n`);
  if (!shell.signal.aborted) await once(shell.signal, "abort");
  throw shell.signal.reason;
}

function parsePublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && url.pathname === "/" && url.search === "" && url.hash === "") return url;
  throw new InputError(`expected an https address without a path, got ${JSON.stringify(text)}`, {
    where: "--public-url",
    next: "write it like https://tenon.example.com",
  });
}
