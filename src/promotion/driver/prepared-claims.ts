import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { cdiFileName, cdiSpec } from "./cdi-spec.ts";

/** A ResourceClaim whose containers may run on this node, and its environment. */
const Prepared = z.object({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  /** The EphemeralClaim. */
  claim: z.object({ name: z.string(), uid: z.string(), className: z.string() }),
  environment: z.string(),
  /** Milliseconds since 1970. */
  renewAt: z.number(),
});
export type PreparedClaim = Readonly<z.infer<typeof Prepared>>;

/**
 * The files of prepared claims. Those of `directory` are still there after a restart of the node, and from them those that
 * the container runtime reads are written again.
 */
export class PreparedClaims {
  readonly #directory: string;
  readonly #cdiDirectory: string;

  constructor({ directory, cdiDirectory }: { readonly directory: string; readonly cdiDirectory: string }) {
    this.#directory = directory;
    this.#cdiDirectory = cdiDirectory;
  }

  /** The record is last: what it describes is there. */
  async write(claim: PreparedClaim, kubeconfig: string): Promise<void> {
    const folder = this.#folderOf(claim.uid);
    // The folders above are root's alone; within the pod anyone may read, because steps have any user.
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await replaceFile(join(folder, "kubeconfig"), kubeconfig, 0o444);
    await this.writeCdi(claim);
    await replaceFile(this.#recordOf(claim.uid), `${JSON.stringify(claim)}\n`, 0o600);
  }

  async writeCdi({ uid, environment }: PreparedClaim): Promise<void> {
    await mkdir(this.#cdiDirectory, { recursive: true });
    const spec = cdiSpec(uid, this.#folderOf(uid), environment);
    await replaceFile(join(this.#cdiDirectory, cdiFileName(fileNameOf(uid))), `${JSON.stringify(spec)}\n`, 0o644);
  }

  async list(): Promise<readonly PreparedClaim[]> {
    const entries = await readdir(this.#directory, { withFileTypes: true }).catch(() => []);
    const read = entries
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const text = await readFile(this.#recordOf(name), "utf8").catch(() => undefined);
        return text === undefined ? [] : [Prepared.parse(JSON.parse(text))];
      });
    return (await Promise.all(read)).flat();
  }

  async remove(uid: string): Promise<void> {
    await rm(join(this.#cdiDirectory, cdiFileName(fileNameOf(uid))), { force: true });
    await rm(join(this.#directory, fileNameOf(uid)), { recursive: true, force: true });
  }

  /** What is mounted. */
  #folderOf(uid: string): string {
    return join(this.#directory, fileNameOf(uid), "mounted");
  }

  #recordOf(uid: string): string {
    return join(this.#directory, fileNameOf(uid), "claim.json");
  }
}

/** A uid comes from the API server by way of the kubelet; a path it must not be. */
function fileNameOf(uid: string): string {
  if (!/^[0-9a-zA-Z][0-9a-zA-Z.-]*$/.test(uid))
    throw new Error(`expected the uid of a claim, got ${JSON.stringify(uid)}`);
  return uid;
}

/** Readers see the old content or the new one. CDI reads no file whose name ends otherwise than `.json` or `.yaml`. */
async function replaceFile(path: string, content: string, mode: number): Promise<void> {
  await writeFile(`${path}.new`, content, { mode });
  await rename(`${path}.new`, path);
}
