/**
 * Cases that Tenon answers in another way on purpose, each with what it does instead. They describe the internals of another
 * program, or ask for what a decision ruled out. Cases without a test do not belong here.
 */
export const answeredOtherwise: Readonly<Record<string, string>> = {
  "B-9":
    "Objects are called like their integration with the suffix of the shard, CronJobs too, and have no prefix; nothing is cut, hashed or made lower case ([0032](../decisions/0032-our-chart.md)). A chart of your own names as it likes.",
  "B-11":
    "Objects, pods and selectors have the labels `app`, which is the integration, and `tenon.dev/shard`; pods that serve metrics have `component: integration` as well ([0032](../decisions/0032-our-chart.md)).",
  "B-13": "The chart asks kube-linter for no exceptions: pods have probes, unless their settings switch them off.",
  "B-15":
    "Pods run as `default`, as the parameter `SERVICE_ACCOUNT_NAME` says, or as the setting `serviceAccountName` does ([0032](../decisions/0032-our-chart.md)).",
  "B-19":
    "The paths are the same, the names of the volumes are ours: `/tmp`, `/config`, `/.cache`, `/etc/pki/`, `/aws` and the bound token. With `state` there is `/state`, too; a log directory is there only if `logs` asks for one, and the service account's token is where Kubernetes puts it ([0032](../decisions/0032-our-chart.md)).",
  "D-23":
    "The secret of a cluster needs the field that the data names, and no more: `server` is compared if it is there, `username` is not asked for. A cluster out of reach holds back what would be deleted there, and nothing elsewhere.",
  "D-25":
    "There is one client, our own, for reads and for writes, and no `oc` to choose instead ([0005](../decisions/0005-own-kubernetes-client.md)).",
  "E-1":
    "`--config` names `tenon.yaml`. Dry runs are `tenon plan`, `tenon apply --dry-run`, and `tenon run` with `--dry-run` or `MANAGER_DRY_RUN`; a sha to compare with is `tenon plan --compare`; schemas are checked by `tenon data validate`; a server is always asked for one bundle by its sha. There are no options for affected shards, for a dump of schemas, for printing the server's URL, and for the level of the log.",
  "E-7":
    "The chart sets these variables, and reading them is up to the program in the container. `tenon run` itself reads `MANAGER_DRY_RUN`, `RUN_ONCE`, `SLEEP_DURATION_SECS`, `SLEEP_ON_ERROR`, `PROMETHEUS_PORT`, and `SHARDS`, `SHARD_ID` and `SHARD_KEY` for its metrics.",
  "E-9":
    "Tenon starts no program with arguments: a container runs its image's own, or `entrypoint` and `args` of its settings, and gets `INTEGRATION_NAME` and `INTEGRATION_EXTRA_ARGS` as variables.",
  "E-13":
    "A line of the log is JSON with time, level, a message that never varies, and fields ([0010](../decisions/0010-http-metrics-logs.md)); it goes to standard error, and to no file.",
  "E-14":
    "0 is done, 1 is any failure, and 2, from `tenon plan` alone, is that something would change ([exit codes](../reference/cli.md#exit-codes)).",
  "E-15":
    "Settings are in `tenon.yaml`, and tokens in a store that it names ([0035](../decisions/0035-settings-of-a-folder.md)). That of the data server comes by `--token-file` or `TENON_DATA_TOKEN` and is sent as `Bearer`, or as it is if it names its scheme.",
  "E-19":
    "There are no feature toggles, and Unleash is asked nothing: what shall not run is not in the data, `disabled` as a shard, or kept off a cluster by its `disable`.",
  "E-22":
    "There are no runs for single shards: `tenon plan --compare` looks only at the namespaces that a change affects.",
  "E-24":
    "Nothing is cached from run to run: `tenon plan --compare` knows by the base what a change affects, and `tenon run` by what it applied last ([0034](../decisions/0034-how-the-manager-runs.md)).",
  "G8-11":
    "A manager that is not in the data may read all of it, one that reads more than its `schemas` list ends with 1, and there is no toggle.",
  H95: "A figure, not a test: printed by `node bench/couple.ts`, with a bar of 0.15 s.",
  H96: "A figure, not a test: printed by `node bench/couple.ts`, as a ratio to the floor of [0042](../decisions/0042-what-a-plug-is-measured-against.md), with requests and events a plug.",
  H97: "A figure, not a test: printed by `node bench/couple.ts`, as a ratio to the floor of [0042](../decisions/0042-what-a-plug-is-measured-against.md).",
  H98: "A figure, not a test: printed by `node bench/couple.ts`, the requests of 60 s in which nothing happens.",
  H99: "A figure, not a test: printed by `node bench/couple-memory.ts`, with a bar of 170 MB; a test checks that the job loads nothing of the other jobs.",
};
