import { TenonSettings } from "../../src/cli/control/tenon-config.ts";
import { code, generatedFrom, page, prose, table } from "./markdown.ts";

/** The page of `tenon.yaml` and of what comes before it, read from the schema that checks it. */
export async function configurationReference(): Promise<string> {
  const settings = Object.entries(TenonSettings.shape).map(([name, { description = "" }]) => [
    code(name),
    prose(description),
  ]);
  return page(
    generatedFrom("`src/cli/control/tenon-config.ts`"),
    "# Configuration",
    [
      "Settings of `plan`, `apply`, `values`, `get`, `explain` and `run` come from three places.",
      "Options count before variables of the environment, and these before `tenon.yaml`.",
    ].join("\n"),
    "## tenon.yaml",
    [
      "It is read from the folder that the command is called in, or from where `--config` says.",
      "Paths in it count from its own folder.",
      "A key that does not exist, or a value that makes no sense, is refused with its line.",
    ].join("\n"),
    table(["Setting", "What it is"], settings),
    "```yaml\n# All that a team needs which runs one manager for one environment.\ndata: https://git.example.com/platform/data.git#main\nenvironment: prod\ntokenStore: vault:https://vault.example.com:8200\ntenonNamespace: tenon\nmaxDeletions: 20\n```",
    "## Variables of the environment",
    [
      "Those of qontract-reconcile mean the same here, so that its Deployment can start Tenon.",
      "An empty one counts as not set.",
    ].join("\n"),
    table(["Variable", "What it is"], variables),
    "A variable that has the name of a parameter of the chart, such as `IMAGE_TAG`, gives it its value; `tenon explain integration/NAME` says when it did.",
  );
}

const variables: readonly (readonly string[])[] = [
  ["`ENVIRONMENT_NAME`", "`--environment`"],
  ["`INTEGRATIONS_MANAGER_UPSTREAM`", "`--upstream`"],
  ["`INTEGRATIONS_MANAGER_IMAGE`", "`--image`"],
  ["`INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF`", "`--image-tag-from-ref`, with spaces between several"],
  [
    "`MANAGER_DRY_RUN`",
    "`--dry-run` or `--no-dry-run`, for `tenon run`. `DRY_RUN` is for the integrations that it starts",
  ],
  ["`RUN_ONCE`", "If set, `tenon run` makes one run and ends"],
  ["`SLEEP_DURATION_SECS`", "Seconds, or a duration, between two looks at the data; default 600"],
  ["`SLEEP_ON_ERROR`", "Seconds until the first retry after a failure; default 10"],
  [
    "`PUSHGATEWAY_URL`, `PUSHGATEWAY_USERNAME`, `PUSHGATEWAY_PASSWORD`",
    "A Pushgateway for the metrics of each run, and its login; `PUSHGATEWAY_ENABLED` is not needed",
  ],
  ["`PROMETHEUS_PORT`", "`--port` of `tenon run`; default 9090"],
  ["`TENON_NAMESPACE`", "`--tenon-namespace`: where Tenon keeps its Leases and its state"],
  [
    "`POD_NAME`, `POD_NAMESPACE`",
    "The pod that Tenon runs in: its own workload is changed last, and its namespace is Tenon's own without `TENON_NAMESPACE`",
  ],
  [
    "`DEBUG_PLUG_ENDPOINT`, `DEBUG_SOCKET_ENDPOINT`",
    "Where every apparatus of that side is, with `--dev` of `tenon run`",
  ],
  ["`WATCH_NAMESPACE`", "`--namespaces` of `tenon run --only couple`"],
  ["`MAX_CONCURRENT_RECONCILES`", "How many plugs, and how many sockets, are looked at at once"],
  ["`TENON_TOKEN_PROD_EU`", "The token of the cluster `prod-eu`, with `--token-store environment`"],
  [
    "`VAULT_ADDR`, `VAULT_TOKEN`, `VAULT_NAMESPACE`, `VAULT_CACERT`",
    "As Vault's own programs read them, with `--token-store vault`",
  ],
  [
    "`VAULT_ROLE_ID`, `VAULT_SECRET_ID`, `VAULT_APPROLE_MOUNT`",
    "In place of a token: an AppRole, and where AppRole is enabled if not at `approle`",
  ],
  ["`TENON_DATA_TOKEN`", "The token of a data server, in place of `--token-file`"],
];
