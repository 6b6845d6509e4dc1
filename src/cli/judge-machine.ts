import type { Machine, Place } from "./machine.ts";

export interface Check {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly next?: string;
}

const ownCluster = "use a cluster of your own with --context";
const goDownload = "https://go.dev/doc/install";

/** What is fine, what limits the user, and what stops them; of the latter two, what to do about it. */
export function judgeMachine(machine: Machine): Check[] {
  return [
    judgePlatform(machine),
    judgeNode(machine),
    judgeProgram("git", machine.git, "Tenon reads data repositories with it"),
    judgeProgram("make", machine.make, "the shortcuts of the checkout, such as `make up`, need it"),
    judgeBinary(machine),
    judgeGo(machine),
    judgePlace("cache directory", machine.cache, cacheNeeds(machine)),
    judgePlace("data directory", machine.data, { least: 0.2e9, good: 1e9, purpose: "the data of an instance" }),
    judgeInstances(machine),
    judgeRealNode(machine),
  ];
}

function judgePlatform({ platform }: Machine): Check {
  const check = "platform";
  if (platform === "linux") return { check, state: "ok", detail: "Linux" };
  return { check, state: "warn", detail: `${platform}; the embedded cluster runs on Linux only`, next: ownCluster };
}

function judgeNode({ node }: Machine): Check {
  const check = "node";
  if (isAtLeast(node, 24)) return { check, state: "ok", detail: node };
  return { check, state: "fail", detail: `${node} is older than 24`, next: 'run "make install", which brings its own' };
}

function judgeProgram(check: string, version: string | undefined, purpose: string): Check {
  if (version !== undefined) return { check, state: "ok", detail: version };
  return { check, state: "warn", detail: `not on the PATH; ${purpose}`, next: `install ${check}` };
}

function judgeBinary({ binary, platform }: Machine): Check {
  const check = "cluster binary";
  const { state, path, detail } = binary;
  if (state === "cached") return { check, state: "ok", detail: path };
  if (state === "absent") {
    const isUsable = platform === "linux";
    return { check, state: "ok", detail: isUsable ? "not built yet; the first start builds it" : "not built" };
  }
  return {
    check,
    state: "fail",
    detail: `${path} is damaged: ${detail ?? "it is not what was built"}`,
    next: "delete its directory; the next start builds it anew",
  };
}

/** Since 1.21 Go downloads the newer toolchain that a module asks for: https://go.dev/doc/toolchain */
function judgeGo({ go, binary, platform }: Machine): Check {
  const check = "go";
  const isNeeded = binary.state !== "cached" && platform === "linux";
  if (go !== undefined && isAtLeast(go, 1, 26)) return { check, state: "ok", detail: go };
  if (!isNeeded) return { check, state: "ok", detail: `${go ?? "not on the PATH"}; not needed here` };
  if (go === undefined) {
    const next = `install Go 1.26 or newer (${goDownload}), or ${ownCluster}`;
    return { check, state: "fail", detail: "not on the PATH; the embedded cluster is built with it", next };
  }
  if (isAtLeast(go, 1, 21)) return { check, state: "ok", detail: `${go}; it downloads the newer one the build needs` };
  const next = `install Go 1.26 or newer (${goDownload}), or ${ownCluster}`;
  return { check, state: "fail", detail: `${go} is too old to build the embedded cluster`, next };
}

interface Needs {
  readonly least: number;
  readonly good: number;
  readonly purpose: string;
}

/** Measured: 0.2 GB for the binary; the build leaves 4.2 GB in Go's own caches, which are usually on the same disk. */
function cacheNeeds({ binary }: Machine): Needs {
  if (binary.state === "cached") return { least: 0, good: 0.2e9, purpose: "the next version of the binary" };
  return { least: 0.5e9, good: 6e9, purpose: "the first build, Go's caches included" };
}

function judgePlace(check: string, { path, freeBytes, obstacle }: Place, { least, good, purpose }: Needs): Check {
  if (obstacle !== undefined) {
    const variable = check.startsWith("cache") ? "XDG_CACHE_HOME" : "XDG_DATA_HOME";
    const next = `make it writable, or set ${variable} to another directory`;
    return { check, state: "fail", detail: `${path} cannot be used: ${obstacle}`, next };
  }
  const detail = `${path}, ${formatGigabytes(freeBytes)} free`;
  if (freeBytes >= good) return { check, state: "ok", detail };
  const next = `free some space: ${purpose} may need ${formatGigabytes(good)}`;
  return { check, state: freeBytes < least ? "fail" : "warn", detail, next };
}

function judgeInstances({ instances }: Machine): Check {
  const check = "instances";
  const detail = instances.map(({ name, state }) => `${name} ${state}`).join(", ") || "none yet";
  const damaged = instances.find(({ state }) => state === "damaged");
  if (!damaged) return { check, state: "ok", detail };
  const next = `look into ${damaged.dataDir}, or delete it with "tenon cluster reset --name ${damaged.name}"`;
  return { check, state: "warn", detail, next };
}

/** Never more than "ok": most people need none. */
function judgeRealNode({ platform, isRoot, missingForNode: { programs, packages } }: Machine): Check {
  const check = "real node";
  const state = "ok";
  if (platform !== "linux") return { check, state, detail: "not here: it runs on Linux only" };
  if (programs.length > 0) {
    const install = `apt-get install --no-install-recommends ${packages.join(" ")}`;
    return { check, state, detail: `not yet, should you want one: ${programs.join(", ")} missing; ${install}` };
  }
  return { check, state, detail: isRoot ? "possible, with --node" : "possible, with --node and as root" };
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
