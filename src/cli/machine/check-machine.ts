import { dirname } from "node:path";
import type { Machine, DirectorySpace } from "./read-machine.ts";

export interface MachineCheck {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly next?: string;
}

const ownCluster = "use a cluster of your own with --context";
const goDownload = "https://go.dev/doc/install";

/** All checks; a warning limits the user and a failure stops them, and both say what to do. */
export function checkMachine(machine: Machine): MachineCheck[] {
  return [
    checkPlatform(machine),
    checkNode(machine),
    checkProgram("git", machine.git, "Tenon needs it to read data repositories"),
    checkProgram("make", machine.make, "needed for `make up` and the like in a checkout"),
    checkBinary(machine),
    checkGo(machine),
    checkSpace("cache directory", machine.cache, cacheNeeds(machine)),
    checkSpace("data directory", machine.data, { least: 0.2e9, good: 1e9, purpose: "the data of an instance" }),
    checkInstances(machine),
    checkRealNode(machine),
  ];
}

function checkPlatform({ platform }: Machine): MachineCheck {
  const check = "platform";
  if (platform === "linux") return { check, state: "ok", detail: "Linux" };
  return { check, state: "warn", detail: `${platform}; the embedded cluster runs on Linux only`, next: ownCluster };
}

function checkNode({ node }: Machine): MachineCheck {
  const check = "node";
  if (isAtLeast(node, 24)) return { check, state: "ok", detail: node };
  return {
    check,
    state: "fail",
    detail: `${node} is older than 24`,
    next: 'run "make install", which installs its own Node',
  };
}

function checkProgram(check: string, version: string | undefined, purpose: string): MachineCheck {
  if (version !== undefined) return { check, state: "ok", detail: version };
  return { check, state: "warn", detail: `not on the PATH; ${purpose}`, next: `install ${check}` };
}

function checkBinary({ binary, platform }: Machine): MachineCheck {
  const check = "cluster binary";
  const { state, path, detail } = binary;
  if (state === "cached") return { check, state: "ok", detail: dirname(path) };
  if (state === "absent") {
    const isUsable = platform === "linux";
    return { check, state: "ok", detail: isUsable ? "not built yet; the first start builds it" : "not built" };
  }
  return {
    check,
    state: "fail",
    detail: `${path} is damaged: ${detail ?? "it changed after it was built"}`,
    next: "delete its directory; the next start builds it again",
  };
}

/** Since 1.21 Go downloads the newer toolchain that a module requires: https://go.dev/doc/toolchain */
function checkGo({ go, binary, platform }: Machine): MachineCheck {
  const check = "go";
  const isNeeded = binary.state !== "cached" && platform === "linux";
  if (go !== undefined && isAtLeast(go, 1, 26)) return { check, state: "ok", detail: go };
  if (!isNeeded) return { check, state: "ok", detail: `${go ?? "not on the PATH"}; not needed here` };
  if (go === undefined) {
    const next = `install Go 1.26 or newer (${goDownload}), or ${ownCluster}`;
    return { check, state: "fail", detail: "not on the PATH; needed to build the embedded cluster", next };
  }
  if (isAtLeast(go, 1, 21))
    return { check, state: "ok", detail: `${go}; downloads the newer version that the build needs` };
  const next = `install Go 1.26 or newer (${goDownload}), or ${ownCluster}`;
  return { check, state: "fail", detail: `${go} is too old to build the embedded cluster`, next };
}

interface SpaceNeeds {
  readonly least: number;
  readonly good: number;
  readonly purpose: string;
}

/** Measured: 0.2 GB for the binary; the build leaves 4.2 GB in Go's own caches, which are usually on the same disk. */
function cacheNeeds({ binary }: Machine): SpaceNeeds {
  if (binary.state === "cached") return { least: 0, good: 0.2e9, purpose: "the next version of the binary" };
  return { least: 0.5e9, good: 6e9, purpose: "the first build, Go's caches included" };
}

function checkSpace(
  check: string,
  { path, freeBytes, obstacle }: DirectorySpace,
  { least, good, purpose }: SpaceNeeds,
): MachineCheck {
  if (obstacle !== undefined) {
    const variable = check.startsWith("cache") ? "XDG_CACHE_HOME" : "XDG_DATA_HOME";
    const next = `make it writable, or set ${variable} to another directory`;
    return { check, state: "fail", detail: `cannot use ${path}: ${obstacle}`, next };
  }
  const detail = `${path}, ${formatGigabytes(freeBytes)} free`;
  if (freeBytes >= good) return { check, state: "ok", detail };
  const next = `free some space: ${purpose} may need ${formatGigabytes(good)}`;
  return { check, state: freeBytes < least ? "fail" : "warn", detail, next };
}

function checkInstances({ instances }: Machine): MachineCheck {
  const check = "instances";
  const detail = instances.map(({ name, state }) => `${name} ${state}`).join(", ") || "none";
  const damaged = instances.find(({ state }) => state === "damaged");
  if (!damaged) return { check, state: "ok", detail };
  const next = `inspect ${damaged.dataDir}, or delete it with "tenon cluster reset --name ${damaged.name}"`;
  return { check, state: "warn", detail, next };
}

/** Always "ok": most people do not need a real node. */
function checkRealNode({ platform, isRoot, missingForNode: { programs, packages } }: Machine): MachineCheck {
  const check = "real node";
  const state = "ok";
  if (platform !== "linux") return { check, state, detail: "not available; Linux only" };
  if (programs.length > 0) {
    const install = `apt-get install --no-install-recommends ${packages.join(" ")}`;
    return { check, state, detail: `not available: ${programs.join(", ")} missing; to add one: ${install}` };
  }
  return { check, state, detail: isRoot ? "available with --node" : "available with --node, as root" };
}

function isAtLeast(version: string, ...least: readonly number[]): boolean {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10));
  for (const [index, part] of least.entries()) {
    const difference = (parts[index] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function formatGigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
