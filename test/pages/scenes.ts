/** A page that is typed by a test, and what must be there before. */
export interface Scene {
  readonly page: string;
  /**
   * Where the reader sits: in the checkout, or in the data files of `tenon up` as they came, with `tenon` and `kubectl` on the
   * PATH and KUBECONFIG set. The embedded cluster with the example world runs in both.
   */
  readonly in: "checkout" | "world";
  /** Typed before the block of commands with this number, from 1; each must succeed. */
  readonly before?: Readonly<Record<number, readonly string[]>>;
  /** Typed at the end, also after a failure. */
  readonly after?: readonly string[];
  /** The files that the page says to write, each with the number of the YAML block of the page that it is, from 1. */
  readonly files?: Readonly<Record<string, number>>;
  /**
   * What the page says, and what is there instead: `{registry}` is a registry on loopback that has the images of the pages,
   * `{gitops}` a repository on a real Gitea, and `{home}` the reader's home, with the token and the certificate of that Gitea.
   */
  readonly standIns?: Readonly<Record<string, string>>;
}

const operator = "tenon run --only couple --instance default";
const commit = "git add -A && git -c user.name=a -c user.email=a@b.example commit -qm change";
const repository = ["git init -q -b main .", commit];
const setMemory = (from: string, to: string): string =>
  `sed -i 's/memory: ${from}/memory: ${to}/' data/integrations/price-feed.yml`;

const manifest = "test/pages/manifests";
const here = "export KUBECONFIG=$(tenon cluster kubeconfig)";

/** An empty cluster beside the one with the example world. */
const another = (name: string): readonly string[] => [
  `tenon cluster start --name ${name} --fake-nodes 1`,
  `export KUBECONFIG=$(tenon cluster kubeconfig --name ${name})`,
];
const kinds = ["plugs", "sockets", "deferredresources"].map((name) => `${name}.integration.rock8s.com`).join(" ");
const installed = "tenon chart render charts/tenon --name tenon --namespace kube-system --set replicas=0";
const refer = (kind: string, key: string): string => {
  const uid = `$(kubectl get ${kind} ${key} -o jsonpath={.metadata.uid})`;
  const [name, , namespace] = key.split(" ");
  return `{"apiVersion":"integration.rock8s.com/v1beta1","kind":"${kind}","name":"${name}","namespace":"${namespace}","uid":"'${uid}'"}`;
};
const established = "kubectl wait --for=condition=Established crd/propagations.tenon.dev --timeout=5m";
const setStatus = (object: string, status: string): string =>
  `kubectl patch ${object} --subresource=status --type=merge --patch '{"status":${status}}'`;

/** Prints the key that verifies what cosign signed. */
const signingKey = `node -p 'require("./test/cosign/signatures.json")[0].publicKey'`;
/** The image that cosign signed, and who built it. */
const signedImage = {
  "tenon image verify quay.io/acme/web:build-7": "tenon image verify {registry}/acme/signed:7",
  "quay.io/acme/web:sha256-": "{registry}/acme/signed:sha256-",
  "https://tekton.dev/chains/v2": "https://ci.example",
};

const gitops = [
  "git init -q -b main ~/gitops && mkdir -p ~/gitops/apps/stage",
  `sed 's#registry.invalid#quay.io#' ${manifest}/web.yaml > ~/gitops/apps/stage/web.yaml`,
  `cd ~/gitops && ${commit} && cd -`,
];

/**
 * Try one with `node test/pages/play-scenes.ts PAGE`. They share a cluster and are played in this order; the world is made
 * anew for each page that is in it. The pages of the first hour are in `firstPages`.
 */
export const scenes: readonly Scene[] = [
  { page: "docs/how-to/query-the-data.md", in: "checkout" },
  { page: "docs/how-to/render-a-chart.md", in: "checkout" },
  { page: "examples/data/README.md", in: "checkout" },
  { page: "examples/integration/README.md", in: "checkout" },
  { page: "examples/postgres/README.md", in: "checkout" },
  { page: "docs/how-to/serve-the-data.md", in: "checkout" },
  { page: "docs/how-to/build-an-integration.md", in: "checkout" },
  { page: "docs/how-to/write-a-controller.md", in: "checkout" },
  {
    page: "docs/how-to/add-an-integration.md",
    in: "world",
    files: { "data/integrations/price-feed.yml": 1 },
  },
  { page: "docs/how-to/adopt-what-is-deployed.md", in: "world" },
  { page: "docs/how-to/shard-an-integration.md", in: "world" },
  { page: "docs/how-to/suspend-an-integration.md", in: "world" },
  { page: "docs/how-to/leave-fields-to-others.md", in: "world" },
  { page: "docs/how-to/roll-out-in-order.md", in: "world" },
  {
    page: "docs/how-to/move-an-integration.md",
    in: "world",
    before: {
      1: [
        "sed 's/platform-stage/platform-dev/; s/price-feed/late-parcels/' data/integrations/price-feed.yml > data/integrations/late-parcels.yml",
        "tenon apply --yes",
      ],
    },
  },
  {
    page: "docs/how-to/roll-back.md",
    in: "world",
    before: {
      1: [
        "export POD_NAME=anna@laptop", // the history names it instead of the user and the machine
        "kubectl -n tenon delete configmap tenon-history",
        setMemory("96Mi", "128Mi"),
        ...repository,
        "tenon apply --yes",
        setMemory("128Mi", "192Mi"),
        commit,
        "tenon apply --yes",
      ],
    },
  },
  {
    page: "docs/how-to/keep-data-files.md",
    in: "world",
    before: {
      1: [...repository, "git tag v1.0", "sed -i 's/parcels.yml/parcel.yml/' data/apps/tracking.yml"],
      3: ["git checkout -q .", setMemory("96Mi", "128Mi"), commit, "git tag v1.1"],
    },
  },
  {
    page: "docs/tutorials/test-in-an-environment.md",
    in: "checkout",
    // The Snapshots of the example world come a while after it.
    before: {
      1: [
        "kubectl wait --for=create crd/snapshots.appstudio.redhat.com --timeout=5m",
        "until kubectl -n parcels-release get snapshots.appstudio.redhat.com -o name | grep -q .; do sleep 1; done",
      ],
    },
  },
  {
    page: "docs/how-to/get-an-environment.md",
    in: "checkout",
    before: {
      2: [
        "kubectl wait --for=create crd/ephemeralclasses.tenon.dev --timeout=5m",
        "kubectl wait --for=create crd/ephemeralclaims.tenon.dev --timeout=5m",
        "kubectl wait --for=condition=Established crd/ephemeralclasses.tenon.dev crd/ephemeralclaims.tenon.dev --timeout=5m",
      ],
      // Other pages have a namespace of this name, too.
      3: ["kubectl delete namespace shop --ignore-not-found", "kubectl create namespace shop"],
    },
    files: { "class.yaml": 1 },
    standIns: {
      "tenon run --only promote --promote environments":
        "tenon run --only promote --promote environments --instance default",
    },
    after: [here, "kubectl delete namespace shop --ignore-not-found"],
  },
  {
    page: "docs/how-to/move-image-tags.md",
    in: "checkout",
    before: { 4: [`${signingKey} > cosign.pub`] },
    standIns: {
      ...signedImage,
      "quay.io/acme/web@sha256:9c02...": "{registry}/acme/web:build-7",
      "quay.io": "{registry}",
      "registry.example.com": "{registry}",
    },
  },
  {
    page: "docs/how-to/require-signatures.md",
    in: "checkout",
    before: { 1: [`${signingKey} > chains.pub`, "kubectl create namespace shop"] },
    standIns: signedImage,
    after: [here, "kubectl delete namespace shop --ignore-not-found"],
  },
  {
    page: "docs/how-to/see-what-a-release-changes.md",
    in: "checkout",
    before: { 1: gitops },
    files: { "propagation.yaml": 1 },
    standIns: { "quay.io": "{registry}", "https://git.example/acme/gitops.git": "file://{home}/gitops" },
  },
  {
    page: "docs/how-to/propose-released-images.md",
    in: "checkout",
    before: {
      1: ["cp ~/gitea/token token", "export GIT_SSL_CAINFO=~/gitea/ca.crt"],
      // The Gitea has a certificate authority of its own, as the page says below "Gitea and Forgejo".
      3: [
        "kubectl --namespace store create configmap gitea-authority --from-file=ca.crt=$HOME/gitea/ca.crt",
        "kubectl --namespace store create role authority --verb=get --resource=configmaps --resource-name=gitea-authority",
        "kubectl --namespace store create rolebinding authority --role=authority --serviceaccount=store:default",
      ],
      4: ["kubectl wait --for=create crd/propagations.tenon.dev --timeout=5m", established],
    },
    files: { "propagation.yaml": 1 },
    standIns: {
      "quay.io": "{registry}",
      "https://gitea.example/acme/gitops.git": "{gitops}",
      "credentials: gitea-token }": "credentials: gitea-token, certificateAuthority: gitea-authority }",
      "tenon run --only promote --install-crds": "tenon run --only promote --install-crds --instance default",
    },
    after: [here, "kubectl delete namespace store"],
  },
  {
    page: "docs/how-to/onboard-a-team.md",
    in: "checkout",
    before: {
      // Other pages have a namespace of this name, too.
      1: ["kubectl delete namespace shop --ignore-not-found"],
      2: [
        "tenon run --only promote --install-crds --instance default",
        "kubectl wait --for=create crd/propagations.tenon.dev --timeout=5m",
        established,
      ],
    },
    standIns: { "as alice:": "as kubernetes-admin:" },
    after: [here, "kubectl delete namespace shop"],
  },
  {
    page: "docs/how-to/move-a-plug.md",
    in: "checkout",
    before: {
      1: [
        operator,
        "kubectl apply -f examples/coupling/world/2-plugs.yaml",
        "kubectl wait -n parcels-tracking plug/database --for=jsonpath='{.status.coupledSocket.name}'=postgres-16 --timeout=5m",
        "cp examples/coupling/world/3-move.yaml plug.yaml",
      ],
      2: ["sed 's/name: database$/name: database-17/' plug.yaml > plug-17.yaml"],
    },
  },
  {
    page: "docs/how-to/restrict-who-may-plug-in.md",
    in: "checkout",
    before: { 1: [operator, `kubectl apply -f ${manifest}/restricted.yaml`] },
  },
  {
    page: "docs/how-to/debug-a-waiting-plug.md",
    in: "checkout",
    before: {
      1: [operator, `cp ${manifest}/waiting.yaml plug.yaml`, "kubectl apply -f plug.yaml"],
      5: [
        "kubectl wait -n shop plug/db --for=condition=Coupled --timeout=5m",
        "kubectl delete plug -n shop db --wait=false",
        "kubectl wait -n shop plug/db --for=jsonpath='{.status.conditions[?(@.type==\"Coupled\")].reason}'=Error --timeout=5m",
      ],
    },
  },
  {
    page: "docs/how-to/write-a-socket.md",
    in: "checkout",
    before: { 1: ["cp examples/coupling/postgres.yaml socket-and-plug.yaml", "kubectl apply -f socket-and-plug.yaml"] },
  },
  {
    page: "docs/how-to/run-several-clusters.md",
    in: "checkout",
    after: ["tenon cluster stop --name blue"],
  },
  {
    page: "docs/how-to/install.md",
    in: "checkout",
    before: {
      4: another("fresh"),
      5: ["helm uninstall tenon --namespace tenon", "kubectl delete namespace tenon", `kubectl delete crd ${kinds}`],
    },
    after: ["tenon cluster stop --name fresh"],
  },
  {
    page: "docs/how-to/run-several-operators.md",
    in: "checkout",
    before: {
      1: [...another("several"), ...["shop", "shop-data", "blog"].map((name) => `kubectl create namespace ${name}`)],
      2: ["helm uninstall tenon-shop --namespace tenon-shop", "helm uninstall tenon-blog --namespace tenon-blog"],
      // The releases by name again.
      3: [
        "helm uninstall tenon-shop --namespace tenon-shop",
        "helm install tenon-shop charts/tenon --namespace tenon-shop --set 'couple.namespaces={shop,shop-data}'",
      ],
    },
    after: ["tenon cluster stop --name several"],
  },
  {
    page: "docs/how-to/move-over-from-integration-operator.md",
    in: "checkout",
    before: {
      1: [
        ...another("former"),
        `${installed} | kubectl apply --server-side --namespace kube-system --filename -`,
        "kubectl wait --for=condition=Established crd/plugs.integration.rock8s.com --timeout=5m",
        `kubectl apply -f ${manifest}/coupled.yaml`,
        setStatus("socket postgres -n platform", `{"coupledPlugs":[${refer("Plug", "database -n shop")}]}`),
        setStatus(
          "plug database -n shop",
          `{"coupledSocket":${refer("Socket", "postgres -n platform")},"coupledResult":{"observedGeneration":1}}`,
        ),
      ],
    },
    standIns: { "--tenon-namespace kube-system": "--tenon-namespace kube-system --instance former" },
    after: ["tenon cluster stop --name former"],
  },
  {
    page: "docs/how-to/test-what-was-built.md",
    in: "checkout",
    before: {
      1: [`kubectl apply -f ${manifest}/built.yaml`],
      3: [`export DIGEST=sha256:${"1".repeat(64)} SHA=${"c".repeat(40)}`],
      6: [`export WEB=sha256:${"1".repeat(64)} API=sha256:${"2".repeat(64)}`],
      7: [`kubectl apply -f ${manifest}/tested.yaml`],
    },
    standIns: { "tenon run --only promote": "tenon run --only promote --instance default" },
    after: [here, "kubectl delete namespace shop --wait=false"],
  },
  {
    page: "docs/how-to/release-what-passed.md",
    in: "checkout",
    standIns: { "tenon run --only promote": "tenon run --only promote --instance default" },
  },
  {
    page: "docs/how-to/run-a-real-node.md",
    in: "checkout",
    // The instance of root is not the one of the user.
    standIns: { "sudo ": "XDG_DATA_HOME={home}/of-root " },
    after: ['XDG_DATA_HOME="$HOME/of-root" tenon cluster stop'],
  },
];
