import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { type HttpProxy, selfSigned, startHttpProxy } from "#faults";
import type { GiteaRepository, TestGitea } from "#gitea";
import type { PropagationWorld } from "#harness";
import { SamplePusher } from "#registry";

/** A proxy before a Gitea, with TLS. */
export interface ForgeProxy extends AsyncDisposable {
  readonly proxy: HttpProxy;
  readonly certificateAuthority: string;
}

export async function startForgeProxy({ access }: TestGitea): Promise<ForgeProxy> {
  const { key, cert } = await selfSigned("forge");
  const upstream = { tls: { ca: access.certificateAuthority } };
  const proxy = await startHttpProxy({ target: new URL(access.url), tls: { key, cert }, upstream });
  return { proxy, certificateAuthority: cert, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}

export interface ShopOptions {
  readonly world: PropagationWorld;
  readonly gitea: TestGitea;
  readonly forge: ForgeProxy;
  /** Where images are pushed, and the host that references name. */
  readonly registry: { readonly url: URL; readonly host: string };
}

/** A GitOps repository on Gitea, an image that it refers to, and a Propagation of one stage that reaches Gitea through the proxy. */
export interface Shop extends AsyncDisposable {
  readonly name: string;
  readonly token: string;
  readonly image: string;
  readonly branch: string;
  readonly repository: GiteaRepository;
  /** Whether a request to the proxy is about this repository. */
  isAbout(request: { readonly path: string }): boolean;
  /** Moves the tag, and returns its digest. */
  release(): Promise<string>;
  /** Creates the Propagation, or changes it, so that its controller looks at once. */
  look(): Promise<void>;
  /** Resolves when the digest is proposed, and Tenon has nothing left to do. */
  whenProposed(digest: string): Promise<void>;
  /** What the repository and its pull requests are now. */
  readRepository(): Promise<FoundProposals>;
  /** The same after one proposal: one branch of one commit on main, one pull request with its text and label, and nothing else. */
  oneProposal(digest: string, superseded: readonly string[]): FoundProposals;
}

export interface FoundProposals {
  readonly branches: readonly string[];
  readonly pullRequests: readonly {
    readonly title: string;
    /** The last digest in its text. */
    readonly proposes: string | undefined;
    /** The first digits of the digests that it proposed before. */
    readonly superseded: readonly string[];
    readonly labels: readonly string[];
    readonly comments: number;
  }[];
  /** Of the repository. */
  readonly labels: readonly string[];
  /** Subjects of the branch's commits that main does not have. */
  readonly commits: readonly string[];
  readonly file: string | undefined;
}

interface PullAnswer {
  readonly title: string;
  readonly state: string;
  readonly body: string;
  readonly comments: number;
  readonly labels: readonly { readonly name: string }[];
}

const label = "promotion";

export async function startShop({ world, gitea, forge, registry }: ShopOptions): Promise<Shop> {
  const name = `shop-${randomUUID().slice(0, 8)}`;
  const image = `${registry.host}/${name}/web`;
  const file = `# by hand\nimage: ${image}:released # moves\n`;
  const repository = await gitea.createRepository({ "app.yaml": file });
  const address = new URL(new URL(repository.address).pathname, forge.proxy.url).href;
  const { token } = repository.owner;
  const metadata = { namespace: world.namespace, name };
  await world.createSecret(name, { token });
  const data = { "ca.crt": forge.certificateAuthority };
  await world.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data });
  const branch = `promotion/main/${name}/stage`;
  let looks = 0;

  async function proposedDigest(digest: string): Promise<unknown> {
    const {
      metadata: { generation },
      status,
    } = await world.read(name);
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    const [stage] = status?.stages ?? [];
    const isSeen = status?.observedGeneration === generation && stage?.target?.digests[`${image}:released`] === digest;
    if (!isSeen) return "not looked yet";
    // Before a push, the status has what is pushed already.
    const state = stage.proposals[0]?.state;
    return ready?.status === "True" ? state : `${state}: ${ready?.message}`;
  }

  return {
    name,
    token,
    image,
    branch,
    repository,
    isAbout: ({ path }) => path.includes(repository.path.replace("/repos", "")),
    release: async () => (await new SamplePusher(registry.url, `${name}/web`).index("released")).digest,
    look: () =>
      world.apply(name, {
        // Another interval is a change of the specification, which is looked at like any other.
        source: { images: [{ repository: image, tag: "released" }], interval: `${1000 + looks++}m` },
        stages: [
          {
            name: "stage",
            repository: address,
            branch: "main",
            forge: { kind: "gitea", credentials: name, certificateAuthority: name, labels: [label] },
          },
        ],
      }),
    async whenProposed(digest) {
      await expect.poll(() => proposedDigest(digest), { interval: 100 }).toBe("Proposed");
    },
    async readRepository() {
      const { path } = repository;
      const [branches, pulls, labels] = await Promise.all(
        ["branches", "pulls?state=all", "labels"].map((part) => gitea.expect("GET", `${path}/${part}`)),
      );
      const isThere = branches.some((one: { name: string }) => one.name === branch);
      const compared = `${path}/compare/main...${encodeURIComponent(branch)}`;
      const { commits } = isThere ? await gitea.expect("GET", compared) : { commits: [] };
      const raw = `${path}/raw/app.yaml?ref=${encodeURIComponent(branch)}`;
      return {
        branches: branches.map((one: { name: string }) => one.name).toSorted(),
        pullRequests: pulls.map((one: PullAnswer) => ({
          title: `${one.title} (${one.state})`,
          proposes: one.body.match(/sha256:[0-9a-f]{64}/g)?.at(-1),
          superseded: [...one.body.matchAll(/^- `\S+@([0-9a-f]{7})`$/gm)].map(([, digest = ""]) => digest),
          labels: one.labels.map((each) => each.name),
          comments: one.comments,
        })),
        labels: labels.map((one: { name: string }) => one.name),
        commits: commits.map((one: { commit: { message: string } }) => one.commit.message.split("\n")[0]),
        file: isThere ? (await gitea.call("GET", raw)).body : undefined,
      };
    },
    oneProposal(digest, superseded) {
      const title = `Promote ${name}: web to ${digest.slice(7, 14)}`;
      return {
        branches: ["main", branch],
        pullRequests: [
          {
            title: `${title} (open)`,
            proposes: digest,
            superseded: superseded.map((each) => each.slice(7, 14)),
            labels: [label],
            comments: 0,
          },
        ],
        labels: [label],
        commits: [title],
        file: file.replace(":released", `:released@${digest}`),
      };
    },
    async [Symbol.asyncDispose]() {
      const { client, namespace } = world;
      await client.delete({ apiVersion: "tenon.dev/v1alpha1", kind: "Propagation", namespace, name });
    },
  };
}
