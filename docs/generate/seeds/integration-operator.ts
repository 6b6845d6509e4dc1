import { byLine, byTest, type SeedDocument } from "./seed-document.ts";

const coupling = "src/coupling/lifecycle/coupling.live.test.ts";
const inputs = "src/coupling/sources/resolve-inputs.test.ts";
const results = "src/coupling/sources/resolve-results.test.ts";
const vars = "src/coupling/sources/side-sources.test.ts";
const half = "src/coupling/sources/apply-interface.test.ts";
const resources = "src/coupling/lifecycle/resources.live.test.ts";
const deletion = "src/coupling/lifecycle/deletion.live.test.ts";
const calls = "src/coupling/apparatus/calls/calls.live.test.ts";
const onNode = "test/e2e/apparatus.test.ts";
const example = "test/promises/examples-of-coupling-work.test.ts";

export const integrationOperator: SeedDocument = {
  title: "The README of integration-operator",
  about: "What plugs, sockets and apparatuses are, and how they integrate applications.",
  promises: [
    {
      says: "The operator is installed by a Helm chart.",
      shownBy: [
        byTest("test/e2e/install.test.ts", "the chart installs two pods under the restricted pod security standard"),
      ],
      instead: "By our chart, `charts/tenon`; that of integration-operator is not needed.",
    },
    {
      says: "A developer installs the kinds, starts the operator, and applies samples.",
      shownBy: [
        byTest(example, "the example reaches the expected condition, objects and result"),
        byLine("tenon run --only couple --install-crds"),
      ],
    },
    {
      says: "An integration connects applications that talk to each other and share configuration.",
      shownBy: [byTest(coupling, "H01: a plug couples to a socket, and the status of both says so")],
    },
    {
      says: "Plugs and sockets have events: created, updated, coupled, decoupled.",
      shownBy: [
        byTest(calls, "H80: an apparatus is called in order, with exactly the bodies of the protocol"),
        byTest("src/coupling/lifecycle/updates.live.test.ts", "H60: a change of the plug runs updated once"),
        byTest("src/coupling/lifecycle/moves.live.test.ts", "H65: deleting a socket decouples its plugs"),
      ],
    },
    {
      says: "A plug of one interface does not couple with a socket of another: a mongo plug needs a mongo socket.",
      shownBy: [
        byTest(
          "src/coupling/lifecycle/interface.live.test.ts",
          "a plug of another interface, or without a socket, is stalled",
        ),
        byTest(example, "interface-name.yaml"),
      ],
    },
    {
      says: "A socket defines the interface of configs and results, gives its own, makes objects and runs apparatuses in its namespace.",
      shownBy: [
        byTest(
          "src/coupling/lifecycle/interface.live.test.ts",
          "H12: a missing required key of the socket fails the plug",
        ),
        byTest(resources, "H40: objects are created in the namespace of their owner only"),
        byTest(
          "src/coupling/apparatus/pods/pods.live.test.ts",
          "H87: the apparatuses of a plug and a socket of the same name",
        ),
      ],
    },
    {
      says: "A plug names its socket and the socket's namespace, uses the interface of the socket, and does the same in its own namespace.",
      shownBy: [
        byTest(coupling, "H03: a socket reference without a namespace means the plug's own namespace"),
        byTest(example, "plug.yaml"),
      ],
    },
    {
      says: "The manifests of the document apply, in the group of integration-operator.",
      shownBy: [
        byTest("src/coupling/kinds/kinds.live.test.ts", "the API server accepts the example"),
        byTest("src/coupling/kinds/kinds.test.ts", "X1: Plug and Socket belong to integration.rock8s.com/v1beta1"),
      ],
      instead:
        "The document prints `apiVersion: v1`, which Kubernetes keeps for its own kinds; `examples/coupling` marks each such completion.",
    },
    {
      says: "Data is free of the interface, and comes from `data`, a ConfigMap and a Secret.",
      shownBy: [byTest(inputs, "H21, X4: data comes from Secret, data and ConfigMap"), byTest(example, "data.yaml")],
    },
    {
      says: "Only config templates, result templates and `/config` see data, so that configs do not depend on each other in a circle.",
      shownBy: [
        byTest(inputs, "H22: templates of each side can read the data of the other"),
        byTest(inputs, "H23: config templates cannot read a config"),
        byTest(inputs, "the apparatus is asked once per side, with data and the side's own vars"),
      ],
    },
    {
      says: "Vars take values from fields of objects, as in Kustomize, and are looked up before the config is final.",
      shownBy: [byTest(vars, "H30: the values of vars are strings"), byTest(example, "vars.yaml")],
    },
    {
      says: "Result vars are looked up after coupling or updating, for result templates.",
      shownBy: [byTest(results, "H36: a required result whose var finds nothing yet is waited for")],
    },
    {
      says: "A var may name an object of another namespace.",
      shownBy: [byTest(vars, "H31: a var that refers to another namespace is refused")],
      instead:
        "Refused: a tenant would read what it has no right to; the socket's own vars are read in the socket's namespace ([0041](../decisions/0041-tenants-are-kept-apart.md)).",
    },
    {
      says: "A config comes from `config`, a ConfigMap, a Secret, a template and `/config`, in any combination.",
      shownBy: [
        byTest(inputs, "H20: a config comes from Secret, config, configTemplate and ConfigMap"),
        byTest(calls, "H81: an apparatus gives a config, as text, that wins over all other sources"),
        byLine("tenon explain plug/shop/postgres"),
      ],
    },
    {
      says: "A config template sees vars, the data of both sides, the plug and the socket, and no config.",
      shownBy: [byTest(inputs, "H23: config templates cannot read a config, and never print <no value>")],
    },
    {
      says: "Configs are exchanged securely.",
      shownBy: [
        byTest(
          "test/promises/no-secret-of-a-plug-in-any-output.test.ts",
          "H89, F-13, F-14: no value of a Secret or of an apparatus appears",
        ),
        byTest(
          "test/promises/a-tenant-reads-only-secrets-it-may-read.test.ts",
          "F-09: a Secret of another namespace cannot be reached by any name",
        ),
      ],
    },
    {
      says: "A config is checked against the interface before the integration begins.",
      shownBy: [
        byTest(
          "src/coupling/lifecycle/interface.live.test.ts",
          "H11: a missing required key is named, and the plug couples once the key is set",
        ),
      ],
    },
    {
      says: "A result comes from `result`, a ConfigMap, a Secret and a template that sees result vars, data and configs of both sides.",
      shownBy: [
        byTest(results, "H20: a result comes from Secret, result, resultTemplate and ConfigMap"),
        byTest(results, "X5: result templates can read both configs"),
        byTest(example, "results.yaml"),
      ],
    },
    {
      says: "A result is checked against the interface after coupling or updating.",
      shownBy: [
        byTest("src/coupling/lifecycle/interface.live.test.ts", "H16: results are checked against the interface"),
      ],
    },
    {
      says: "An integration fails if a required config or result is missing.",
      shownBy: [
        byTest(half, "H11: a missing required key of the plug is named"),
        byTest(half, "H17: all missing keys are in one message, sorted"),
      ],
    },
    {
      says: "Keys that the interface does not define are ignored, and defaults are filled in.",
      shownBy: [
        byTest(half, "H10: defaults of the interface are filled in, and undeclared keys are dropped"),
        byTest(example, "interface.yaml"),
      ],
    },
    {
      says: "Without an interface nothing is checked, which is discouraged.",
      shownBy: [byTest(coupling, "H07: without an interface, a plug couples with any config")],
    },
    {
      says: "A resource is any valid object of Kubernetes.",
      shownBy: [
        byTest(resources, "H57: an unknown kind is named, and the plug couples once the kind exists"),
        byTest(resources, "H55: a cluster-scoped object is refused"),
      ],
      instead:
        "Any kind that belongs to a namespace: an object of the whole cluster would belong to more than its tenant.",
    },
    {
      says: "Resources come from `template`, `templates`, `stringTemplate` and `stringTemplates`; texts may be conditional.",
      shownBy: [
        byTest(resources, "H42: all four forms of templates make objects, in a fixed order"),
        byTest(example, "resources.yaml"),
      ],
    },
    {
      says: "`do` is `apply`, `delete` or `recreate`.",
      shownBy: [
        byTest(resources, "H45: do: delete deletes the object of that name"),
        byTest(resources, "H46: do: recreate waits until the old Job is gone"),
      ],
    },
    {
      says: "`when` lists the stages of a resource: created, coupled, updated, decoupled, deleted.",
      shownBy: [
        byTest(resources, "H44: without do and when, an object is applied at coupled and updated"),
        byTest(deletion, "H47: objects made at created stay until deleted, through moves and updates"),
      ],
    },
    {
      says: "`preserveWhenDecoupled` keeps an object; without it decoupling deletes it, unless `when` has `decoupled`.",
      shownBy: [byTest(deletion, "H47: decoupling removes the objects that coupling made, except retained ones")],
    },
    {
      says: "Result resources are made after coupling or updating, from the results.",
      shownBy: [byTest(resources, "H49: result resources see both results")],
    },
    {
      says: "An apparatus is a pod with a REST API, which is called at the stages with plug, socket and both configs; it works beside resources.",
      shownBy: [
        byTest(
          onNode,
          "H80, H87: a plug and a socket of the same name have a pod each, which gets its own calls in order",
        ),
        byTest(
          "test/e2e/postgres-in-a-pod.test.ts",
          "both plugs couple, and each Secret gives access to a database of its own",
        ),
      ],
    },
    {
      says: "An apparatus pod is cleaned up when it is idle, and created when it is needed.",
      shownBy: [byTest(onNode, "H84, H85, X15: an apparatus pod is probed for readiness, is stopped when idle")],
    },
    {
      says: "An apparatus has the schema of a pod.",
      shownBy: [
        byTest("src/coupling/kinds/kinds.live.test.ts", "X23: an apparatus accepts every field of a pod's spec"),
      ],
    },
    {
      says: "An apparatus can be written in any language.",
      shownBy: [
        byTest("src/cli/couple/check-apparatus.live.test.ts", "a correct apparatus without the SDK passes all checks"),
        byLine("tenon couple check-apparatus"),
      ],
    },
    {
      says: "An apparatus answers `GET /ping`, and `POST` to `/config`, `/created`, `/coupled`, `/updated`, `/decoupled` and `/deleted`, each with its body.",
      shownBy: [
        byTest(calls, "H80: an apparatus is called in order, with exactly the bodies of the protocol"),
        byTest(
          "src/coupling/apparatus/pods/pod-objects.test.ts",
          "H84: an apparatus' Service and pod have the names, labels, ports and owner",
        ),
      ],
    },
    {
      says: "An apparatus names its endpoint, and a port called `container`.",
      shownBy: [
        byTest("src/coupling/apparatus/pods/pod-objects.test.ts", "needs a port named container"),
        byTest(example, "apparatus.yaml"),
      ],
    },
  ],
};
