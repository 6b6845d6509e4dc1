/** A page that is typed by a test, and what must be there before. */
export interface Scene {
  readonly page: string;
  /**
   * Where the reader sits: in the checkout, or in the data files of `tenon up` as they came, with `tenon` and `kubectl` on the
   * PATH and KUBECONFIG set. The embedded cluster with the example world runs in both.
   */
  readonly in: "checkout" | "world";
  /** Typed before the page; each must succeed. */
  readonly before?: readonly string[];
  /** The files that the page says to write, each with the number of the YAML block of the page that it is, from 1. */
  readonly files?: Readonly<Record<string, number>>;
  /**
   * What the page says, and what is there instead: `{registry}` is a registry on loopback that has the images of the pages, and
   * `{home}` the reader's home.
   */
  readonly standIns?: Readonly<Record<string, string>>;
}

/** Try one with `node test/pages/play-scenes.ts PAGE`. The pages of the first hour are in `firstPages`. */
export const scenes: readonly Scene[] = [
  { page: "docs/how-to/query-the-data.md", in: "checkout" },
  { page: "docs/how-to/render-a-chart.md", in: "checkout" },
  { page: "examples/data/README.md", in: "checkout" },
];

/** Pages whose commands wait for their scene. */
export const awaitingScenes: readonly string[] = [
  "docs/how-to/add-an-integration.md",
  "docs/how-to/adopt-what-is-deployed.md",
  "docs/how-to/build-an-integration.md",
  "docs/how-to/debug-a-waiting-plug.md",
  "docs/how-to/install.md",
  "docs/how-to/keep-data-files.md",
  "docs/how-to/leave-fields-to-others.md",
  "docs/how-to/move-a-plug.md",
  "docs/how-to/move-an-integration.md",
  "docs/how-to/move-image-tags.md",
  "docs/how-to/move-over-from-integration-operator.md",
  "docs/how-to/propose-released-images.md",
  "docs/how-to/restrict-who-may-plug-in.md",
  "docs/how-to/roll-back.md",
  "docs/how-to/roll-out-in-order.md",
  "docs/how-to/run-a-real-node.md",
  "docs/how-to/run-several-clusters.md",
  "docs/how-to/see-what-a-release-changes.md",
  "docs/how-to/serve-the-data.md",
  "docs/how-to/shard-an-integration.md",
  "docs/how-to/suspend-an-integration.md",
  "docs/how-to/take-over-from-qontract-reconcile.md",
  "docs/how-to/test-what-was-built.md",
  "docs/how-to/write-a-controller.md",
  "docs/how-to/write-a-socket.md",
  "docs/how-to/write-an-apparatus.md",
  "examples/integration/README.md",
  "examples/postgres/README.md",
];
