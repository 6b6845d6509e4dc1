/**
 * Why containers of a node would silently start without what the driver gives them; undefined if they would not. By what
 * the node says of its container runtime, such as `containerd://2.4.2`.
 */
export function missingCdi(containerRuntimeVersion: string): string | undefined {
  const [, runtime = "", major = "", minor = ""] = /^([^:]+):\/\/v?(\d+)\.(\d+)/.exec(containerRuntimeVersion) ?? [];
  const oldest = oldestWithCdi[runtime];
  if (!oldest) return `${containerRuntimeVersion} is not known to apply CDI; containerd and CRI-O do`;
  const isNewEnough = Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1]);
  return isNewEnough
    ? undefined
    : `${containerRuntimeVersion} does not apply CDI by default; ${runtime} ${oldest.join(".")} and newer do`;
}

/** From which version on CDI is on by default. */
const oldestWithCdi: Readonly<Record<string, readonly [number, number]>> = {
  containerd: [2, 0],
  "cri-o": [1, 23],
};
