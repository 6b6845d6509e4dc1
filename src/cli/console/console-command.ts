import type { LazyCommand } from "../lazy-command.ts";
import { clusterPlanningOptions } from "../manage/manage-commands.ts";
import { examples, integerOption } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import type { ConsoleChoice } from "./run-console.ts";

/** `tenon console` */
export function consoleCommand(command: LazyCommand, shell: Shell): void {
  clusterPlanningOptions(command, shell)
    .description(
      "Serve the console: what runs, what waits, and why, in a browser. Each person sees and does what the API server lets that person see and do. Prints a link that logs you in once, with your own kubeconfig; others log in with a token of Kubernetes. With data, as for `tenon plan`, it also shows the data files and their plan, and applies it as the person.",
    )
    .addOption(integerOption("--port <number>", "port; 0 picks a free one; default: 7788", 0, 65_535))
    .option(
      "--host <address>",
      "address to listen on; one that others can reach needs --public-url, and prints no link; default: 127.0.0.1",
    )
    .option("--public-url <url>", "https address in browsers, where something before the console ends TLS")
    .option(
      "--read-only",
      "offer nothing that changes the cluster; always so with --public-url and in a pod, unless --writable",
    )
    .option("--writable", "with --public-url or in a pod: offer what a person may change")
    .option("--oidc-issuer <url>", "an OpenID Connect provider that people log in at")
    .option("--oidc-client-id <id>", "the console's name there; its redirect URI is ADDRESS/oidc/callback")
    .option("--oidc-scopes <scopes...>", "what to ask of it beside openid; default: profile email offline_access")
    .action(async (choice: ConsoleChoice) => (await import("./run-console.ts")).runConsole(choice, shell));
  examples(command, [
    ["tenon console", "of the cluster that kubectl uses, for yourself"],
    ["tenon console --instance default", "of the cluster of `tenon up`"],
    [
      "tenon console --oidc-issuer https://login.example.com --oidc-client-id tenon",
      "with the id token as the person's token of Kubernetes",
    ],
    ["tenon console --data examples/data --context staging", "with the plan of data files, and a button to apply it"],
    ["tenon console --host 0.0.0.0 --public-url https://tenon.example.com", "for a team, behind a proxy with TLS"],
  ]);
}
