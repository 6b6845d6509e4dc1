import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "#base";

/** A program that a real node runs, the Debian package that has it, and where else than on the PATH it may be. */
interface NodeProgram {
  readonly program: string;
  readonly debian: string;
  readonly directories: readonly string[];
}

/** Administrators' programs may be missing from the PATH of a user who became root; see cluster/node. */
const programDirectories = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
const networkDirectories = ["/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"];

const nodePrograms: readonly NodeProgram[] = [
  ...["containerd", "containerd-shim-runc-v2", "ctr"].map(onPath("containerd")),
  ...["runc"].map(onPath("runc")),
  ...["iptables", "iptables-save", "iptables-restore"].map(onPath("iptables")),
  ...["ptp", "host-local", "loopback", "portmap"].map((program) => ({
    program,
    debian: "containernetworking-plugins",
    directories: networkDirectories,
  })),
];

function onPath(debian: string): (program: string) => NodeProgram {
  return (program) => ({ program, debian, directories: programDirectories });
}

/** The programs of a real node that are not installed, and the Debian packages that have them. */
export interface MissingForNode {
  readonly programs: readonly string[];
  readonly packages: readonly string[];
}

/** Looks for the programs of a real node, without running them. */
export async function findMissingForNode(
  isThere: (path: string) => Promise<boolean> = isExecutable,
): Promise<MissingForNode> {
  const found = await Promise.all(
    nodePrograms.map(async ({ program, directories }) => {
      const checks = await Promise.all(directories.map((directory) => isThere(join(directory, program))));
      return checks.includes(true);
    }),
  );
  const missing = nodePrograms.filter((_, index) => !found[index]);
  return {
    programs: missing.map(({ program }) => program),
    packages: [...new Set(missing.map(({ debian }) => debian))],
  };
}

/** Refuses a start that would fail later, after a build of minutes. */
export async function requireNodeNeeds(
  userId = process.geteuid?.(),
  isThere: (path: string) => Promise<boolean> = isExecutable,
): Promise<void> {
  if (userId !== 0) {
    throw new InputError("a real node needs root: it makes namespaces, network interfaces and control groups", {
      next: "run the command with sudo, or without a real node: --fake-nodes 2 makes nodes on which pods only seem to run",
    });
  }
  const { programs, packages } = await findMissingForNode(isThere);
  if (programs.length === 0) return;
  throw new InputError(`a real node needs programs that are not installed: ${programs.join(", ")}`, {
    next: `on Debian and Ubuntu: apt-get install --no-install-recommends ${packages.join(" ")}`,
  });
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
