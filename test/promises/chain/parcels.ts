import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { valueAt } from "#base";
import type { GiteaRepository } from "#gitea";
import { isKubeObject, type KubeClient, type KubeObject } from "#kube";
import { authorLabelOf, declareBuild, type DeclaredSnapshot, Propagation } from "#promotion";
import { parseYamlDocuments } from "#yaml";
import type { ChainParts } from "./chain-parts.ts";

const never = new AbortController().signal;
const example = join(import.meta.dirname, "..", "..", "..", "examples", "promotion");
/** The Secret and the ConfigMap with what the account of the Propagation needs to reach Gitea. */
const access = "data-files";

const isNamespace = ({ kind }: KubeObject): boolean => kind === "Namespace";

/** A pull request, as far as tests ask. */
export interface FoundPull {
  readonly number: number;
  readonly state: string;
  readonly merged: boolean;
}

/** The objects of examples/promotion in namespaces of their own, with a repository of its data files on Gitea. */
export class Parcels {
  readonly id = crypto.randomUUID().slice(0, 8);
  readonly namespace = `parcels-${this.id}`;
  readonly stage = `stage-${this.id}`;
  /** Of the image. */
  readonly repository = `parcels/${this.id}`;
  /** The `--data` of what rolls out. */
  data = "";
  readonly #client: KubeClient;
  readonly #parts: ChainParts;
  #files: GiteaRepository | undefined;

  constructor(client: KubeClient, parts: ChainParts) {
    this.#client = client;
    this.#parts = parts;
  }

  /** Whether a request to one of the parts is about these objects, images or files. */
  isAbout({ path }: { readonly path: string }): boolean {
    return path.includes(this.id) || path.includes(this.files.path.replace("/repos", ""));
  }

  get files(): GiteaRepository {
    if (this.#files === undefined) throw new Error("the parcels are not prepared yet");
    return this.#files;
  }

  /** Everything up to a first image, which the data files already name. */
  async prepare(): Promise<void> {
    const before = await this.#parts.build(this.repository, "first");
    const { user } = await this.#client.whoAmI();
    const replace = (text: string) =>
      text
        .replaceAll("parcels-release", this.namespace)
        .replaceAll("parcels-stage", this.stage)
        .replaceAll("registry.example/parcels/tracking", this.#image)
        .replaceAll("author.example", authorLabelOf(user))
        .replace(/sha256:0{64}/, before);
    this.#files = await this.#parts.gitea.createRepository(await readData(replace));
    const address = new URL(new URL(this.files.address).pathname, this.#parts.forge.proxy.url).href;
    this.data = `${address}#main`;
    const onGitea = (text: string) =>
      replace(text)
        .replaceAll("http://git.example/data", address)
        .replace("kind: plain, credentials", `kind: gitea, certificateAuthority: ${access}, credentials`)
        .replace("resources: [secrets]", "resources: [secrets, configmaps]")
        // A proposal then waits for the end of the Release, as each step of the chain does for the one before.
        .replace(/source:\n {4}images:\n.*\n/, `source:\n    releasePlan: { name: ${replace("parcels-released")} }\n`);
    const text = await readFile(join(example, "world.yaml"), "utf8");
    const objects = parseYamlDocuments(onGitea(text)).flatMap(({ value }) => (isKubeObject(value) ? [value] : []));
    const login = this.#accessObject("Secret", { stringData: { token: this.files.owner.token } });
    const trust = this.#accessObject("ConfigMap", { data: { "ca.crt": this.#parts.forge.certificateAuthority } });
    const rest = objects.filter((each) => !isNamespace(each));
    for (const object of [...objects.filter(isNamespace), login, trust, ...this.#planRights(), ...rest]) {
      await this.#client.apply(object, { fieldManager: "tests", force: true });
    }
  }

  /** A build that has ended, as another CI says it. */
  async declare(name = "second"): Promise<DeclaredSnapshot & { readonly digest: string }> {
    const digest = await this.#parts.build(this.repository, name);
    const image = `${this.#image}@${digest}`;
    const build = { namespace: this.namespace, component: "tracking", image, commit: "4fd2c1e", startedAt: Date.now() };
    return { ...(await declareBuild(build, this.#client, never)), digest };
  }

  async list(apiVersion: string, kind: string, namespace = this.namespace): Promise<KubeObject[]> {
    return (await this.#client.list({ apiVersion, kind, namespace })).items;
  }

  async stageStatus() {
    const { apiVersion, kind } = Propagation;
    const found = await this.#client.get({ apiVersion, kind, namespace: this.namespace, name: "parcels" });
    return Propagation.parse(found).status?.stages?.[0];
  }

  /** How often what the Deployment runs has changed. */
  async rollouts(): Promise<unknown> {
    const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: this.stage, name: "tracking" };
    const found = await this.#client.find(ref);
    return valueAt(found, ["metadata", "generation"]);
  }

  async pullRequests(): Promise<readonly FoundPull[]> {
    const pulls: readonly FoundPull[] = await this.#parts.gitea.expect("GET", `${this.files.path}/pulls?state=all`);
    return pulls.map(({ number, state, merged }) => ({ number, state, merged }));
  }

  /** False while Gitea still checks whether it can. */
  async merge({ number }: Pick<FoundPull, "number">): Promise<boolean> {
    const path = `${this.files.path}/pulls/${number}/merge`;
    const { status } = await this.#parts.gitea.call("POST", path, { Do: "squash" }, this.files.owner.token);
    return status === 200;
  }

  /** Of the repository of data files. */
  async names(what: "branches" | "commits"): Promise<readonly string[]> {
    const found = await this.#parts.gitea.expect("GET", `${this.files.path}/${what}`);
    return found.map((each: { name?: string; commit: { message: string } }) => each.name ?? each.commit.message);
  }

  async delete(): Promise<void> {
    for (const name of [this.namespace, this.stage]) {
      await this.#client.delete({ apiVersion: "v1", kind: "Namespace", name });
    }
  }

  /** Of the account of the Propagation. */
  #planRights(): KubeObject[] {
    const metadata = { name: "plan", namespace: this.namespace };
    const [apiGroup, verbs] = ["rbac.authorization.k8s.io", ["get", "list"]];
    const resources = ["releases", "releaseplans", "snapshots"];
    const rules = [{ apiGroups: ["appstudio.redhat.com"], resources, verbs }];
    const subjects = [{ kind: "ServiceAccount", name: "default", namespace: this.namespace }];
    const roleRef = { apiGroup, kind: "Role", name: metadata.name };
    return [
      { apiVersion: `${apiGroup}/v1`, kind: "Role", metadata, rules },
      { apiVersion: `${apiGroup}/v1`, kind: "RoleBinding", metadata, roleRef, subjects },
    ];
  }

  get #image(): string {
    return `${this.#parts.registry.url.host}/${this.repository}`;
  }

  #accessObject(kind: string, content: object): KubeObject {
    return { apiVersion: "v1", kind, metadata: { name: access, namespace: this.namespace }, ...content };
  }
}

/** The data files of the example, by their paths. */
async function readData(replace: (text: string) => string): Promise<Record<string, string>> {
  const found = await readdir(join(example, "data"), { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = paths.map(async (path) => {
    return [replace(path.slice(example.length + 1)), replace(await readFile(path, "utf8"))] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}
