import { execFile } from "node:child_process";
import { mkdir, mkdtemp, mkdtempDisposable, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { clusterHome } from "#cluster";
import type { GiteaAccess, GiteaRepository } from "#gitea";

/** AGPL-licensed, and so not a dependency: tests run it as a program of its own. */
const version = "44.121.2";

const run = promisify(execFile);

const cache = join(dirname(clusterHome().cache), "renovate");
const installation = join(cache, version);
const installed = join(installation, "node_modules/renovate/dist/renovate.js");

/** The path of Renovate's program, if it is installed in the user's cache. */
export async function findRenovate(): Promise<string | undefined> {
  return (await stat(installed).catch(() => undefined)) ? installed : undefined;
}

/** The path of Renovate's program, installed from npm first if need be, in the user's cache. */
export async function ensureRenovate(): Promise<string> {
  const found = await findRenovate();
  if (found !== undefined) return found;
  process.stderr.write(`installing Renovate ${version} into ${installation}: 400 MB, some minutes\n`);
  await mkdir(cache, { recursive: true });
  const partial = await mkdtemp(join(cache, "partial-"));
  try {
    await writeFile(join(partial, "package.json"), JSON.stringify({ private: true }));
    // Without the scripts, which compile what only its SQLite cache and faster patterns need.
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
    await run("npm", ["install", ...flags, `renovate@${version}`], { cwd: partial });
    await rename(partial, installation);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another run was faster.
    if ((await findRenovate()) === undefined) throw error;
  }
  return installed;
}

/** What Renovate gets to know of its surroundings. */
export interface RenovateScene {
  readonly gitea: GiteaAccess;
  readonly repository: GiteaRepository;
  /** Host and port of a registry without TLS. */
  readonly registry: string;
}

/** A digest that Renovate found. */
export interface RenovateFinding {
  readonly file: string;
  readonly digest: string;
  /** The digests that it proposes instead. */
  readonly proposed: readonly string[];
}

const Update = z.object({ newDigest: z.string().optional() });

const Report = z.object({
  repositories: z.record(
    z.string(),
    z.object({
      problems: z.array(z.unknown()),
      packageFiles: z.record(
        z.string(),
        z.array(
          z.object({
            packageFile: z.string(),
            deps: z.array(z.object({ currentDigest: z.string().optional(), updates: z.array(Update) })),
          }),
        ),
      ),
    }),
  ),
});

/** One run of Renovate over a repository, with nothing kept from earlier runs; returns the digests that it found, by file. */
export async function runRenovate(
  program: string,
  { gitea, repository, registry }: RenovateScene,
): Promise<RenovateFinding[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-renovate-"));
  const [certificateAuthority, reportPath] = ["ca.pem", "report.json"].map((name) => join(directory.path, name));
  await writeFile(certificateAuthority ?? "", gitea.certificateAuthority);
  const name = repository.path.replace("/repos/", "");
  const config = {
    platform: "gitea",
    endpoint: `${gitea.url}/api/v1/`,
    token: repository.owner.token,
    repositories: [name],
    internalHostAccess: "allow",
    onboarding: false,
    requireConfig: "ignored",
    dependencyDashboard: false,
    gitAuthor: "Renovate <renovate@tests.invalid>",
    enabledManagers: ["kubernetes", "kustomize", "helm-values"],
    kubernetes: { managerFilePatterns: ["/^deploy/.+\\.yaml$/"] },
    hostRules: [{ matchHost: registry, hostType: "docker", insecureRegistry: true }],
    reportType: "file",
    reportPath,
  };
  const env = {
    PATH: process.env["PATH"],
    HOME: directory.path,
    NODE_EXTRA_CA_CERTS: certificateAuthority,
    GIT_SSL_CAINFO: certificateAuthority,
    RENOVATE_BASE_DIR: join(directory.path, "base"),
    RENOVATE_CONFIG: JSON.stringify(config),
  };
  const { stdout } = await run(process.execPath, [program], { env, maxBuffer: 2 ** 26 });
  const report = Report.parse(JSON.parse(await readFile(reportPath ?? "", "utf8")));
  const found = report.repositories[name];
  if (!found || found.problems.length > 0) throw new Error(`Renovate did not do its work:\n${stdout}`);
  const files = Object.values(found.packageFiles).flat();
  const findings = files.flatMap(({ packageFile: file, deps }) =>
    deps.flatMap(({ currentDigest: digest, updates }) => {
      if (digest === undefined) return []; // the version of a Kubernetes API
      return { file, digest, proposed: updates.flatMap(({ newDigest }) => newDigest ?? []) };
    }),
  );
  return findings.toSorted((a, b) => a.file.localeCompare(b.file));
}
