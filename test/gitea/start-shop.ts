import { randomUUID } from "node:crypto";
import { type HttpProxy, type RecordedRequest, selfSigned, startHttpProxy } from "#faults";
import { SamplePusher } from "#registry";
import type { PropagationNamespace } from "../harness/propagation-namespace.ts";
import type { GiteaRepository, GiteaUser, TestGitea } from "./test-gitea.ts";

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
  /** The namespace of the Propagation; `usePropagation` gives one. */
  readonly world: PropagationNamespace;
  readonly gitea: TestGitea;
  readonly forge: ForgeProxy;
  /** Where images are pushed, and the host that references name. */
  readonly registry: { readonly url: URL; readonly host: string };
  /** The files of the repository, for images that begin so; default: one with one reference. */
  readonly files?: (prefix: string) => Readonly<Record<string, string>>;
  /** The last parts of the names of its images; default `web`. */
  readonly components?: readonly string[];
  /** More fields of the source, of the stage, and of its `forge`. */
  readonly source?: Readonly<Record<string, unknown>>;
  readonly stage?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The owner of the repository; default: a new account. */
  readonly owner?: GiteaUser;
  /** What the token may do; default: everything. */
  readonly scopes?: readonly string[];
}

/** A GitOps repository on Gitea, images that it refers to, and a Propagation of one stage that reaches Gitea through the proxy. */
export interface Shop extends AsyncDisposable {
  readonly name: string;
  readonly token: string;
  /** The first of its images. */
  readonly image: string;
  readonly images: readonly string[];
  readonly branch: string;
  readonly repository: GiteaRepository;
  /** What the Propagation has as the address of the repository. */
  readonly address: string;
  /** Requests about this repository, to Gitea's API and to git, so far. */
  requests(): readonly RecordedRequest[];
  /** Whether a request to the proxy is about this repository. */
  readonly isAbout: (request: { readonly path: string }) => boolean;
  /** Moves the tag of a component, and returns its digest. */
  release(component?: string): Promise<string>;
  /** Creates the Propagation, or changes it, so that its controller looks at once. */
  look(): Promise<void>;
  /** The state of the stage, once the controller has seen the last change and that digest; with what is wrong, if something is. */
  proposedState(digest: string): Promise<string | undefined>;
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
const path = "app.yaml";
const oneFile = (prefix: string) => ({ [path]: `# by hand\nimage: ${prefix}/web:released # moves\n` });

export async function startShop(options: ShopOptions): Promise<Shop> {
  const { world, gitea, forge, registry, files = oneFile, components = ["web"] } = options;
  const name = `shop-${randomUUID().slice(0, 8)}`;
  const prefix = `${registry.host}/${name}`;
  const images = components.map((component) => `${prefix}/${component}`);
  const [image = ""] = images;
  const written = files(prefix);
  const repository = await gitea.createRepository(written, options.owner);
  const { owner } = repository;
  const address = new URL(new URL(repository.address).pathname, forge.proxy.url).href;
  const token = options.scopes ? await gitea.createToken(owner.name, options.scopes) : owner.token;
  const metadata = { namespace: world.namespace, name };
  await world.createSecret(name, { token });
  const data = { "ca.crt": forge.certificateAuthority };
  await world.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data });
  const branch = `promotion/main/${name}/stage`;
  const isAbout = ({ path: asked }: { readonly path: string }) => asked.includes(repository.path.replace("/repos", ""));
  let looks = 0;

  return {
    name,
    token,
    image,
    images,
    branch,
    repository,
    address,
    isAbout,
    requests: () => forge.proxy.requests.filter(isAbout),
    release: async (component = components[0] ?? "") =>
      (await new SamplePusher(registry.url, `${name}/${component}`).index("released")).digest,
    look: () =>
      world.apply(name, {
        // Another interval is a change of the specification, which is looked at like any other.
        source: {
          images: images.map((each) => ({ repository: each, tag: "released" })),
          interval: `${1000 + looks++}m`,
          ...options.source,
        },
        stages: [
          {
            name: "stage",
            repository: address,
            branch: "main",
            ...options.stage,
            forge: {
              kind: "gitea",
              credentials: name,
              certificateAuthority: name,
              labels: [label],
              ...options.settings,
            },
          },
        ],
      }),
    async proposedState(digest) {
      const { metadata: found, status } = await world.read(name);
      const ready = status?.conditions?.find(({ type }) => type === "Ready");
      const [stage] = status?.stages ?? [];
      const isSeen = status?.observedGeneration === found.generation;
      if (!isSeen || stage?.target?.digests[`${image}:released`] !== digest) return "not looked yet";
      // Before a push, the status has what is pushed already.
      const state = stage.proposals[0]?.state;
      return ready?.status === "True" ? state : `${state}: ${ready?.message}`;
    },
    async readRepository() {
      const [branches, pulls, labels] = await Promise.all(
        ["branches", "pulls?state=all", "labels"].map((part) => gitea.expect("GET", `${repository.path}/${part}`)),
      );
      const isThere = branches.some((one: { name: string }) => one.name === branch);
      const compared = `${repository.path}/compare/main...${encodeURIComponent(branch)}`;
      const { commits } = isThere ? await gitea.expect("GET", compared) : { commits: [] };
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
        file: isThere ? await gitea.readFile(repository, path, branch) : undefined,
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
        file: written[path]?.replace(":released", `:released@${digest}`),
      };
    },
    async [Symbol.asyncDispose]() {
      const { client, namespace } = world;
      await client.delete({ apiVersion: "tenon.dev/v1alpha1", kind: "Propagation", namespace, name });
    },
  };
}
