import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type GoProgram, hashModule, readBuildFlags } from "#cluster";
import { ensureTestProgram } from "../harness/ensure-test-program.ts";

const directory = join(import.meta.dirname, "program");

/** The path of the oracle's binary, built first if need be: minutes once, as it links Helm. */
export async function ensureOracle(signal: AbortSignal): Promise<string> {
  return ensure({ name: "oracle", title: "the oracle" }, signal);
}

/** The path of a true `helm`, of the version that the oracle links, for measurements beside it. */
export async function ensureHelm(signal: AbortSignal): Promise<string> {
  return ensure({ name: "helm", title: "helm", package: "helm.sh/helm/v3/cmd/helm" }, signal);
}

async function ensure(program: Pick<GoProgram, "name" | "title" | "package">, signal: AbortSignal): Promise<string> {
  const goBuildFlags = await buildFlags();
  const hash = `${program.name}-${await hashModule(directory, goBuildFlags)}`;
  return ensureTestProgram("oracle", { ...program, directory, hash, goBuildFlags }, signal);
}

/** Helm takes its own version and the Kubernetes version it assumes from the linker; see the Makefile of its sources. */
async function buildFlags(): Promise<string[]> {
  const goMod = await readFile(join(directory, "go.mod"), "utf8");
  const helm = /^\thelm\.sh\/helm\/v3 (v\S+)/m.exec(goMod)?.[1];
  const [major, minor] = /^\tk8s\.io\/client-go v(\d+)\.(\d+)/m.exec(goMod)?.slice(1) ?? [];
  if (!helm || !minor) throw new Error("test/oracle/program/go.mod does not require Helm and client-go");
  return readBuildFlags({
    "helm.sh/helm/v3/internal/version.version": helm,
    "helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor": `${Number(major) + 1}`,
    "helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor": minor,
  });
}
