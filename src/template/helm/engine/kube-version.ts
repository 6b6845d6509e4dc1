import { InputError } from "#base";

/** A Kubernetes version as `.Capabilities.KubeVersion` shows it. */
export interface KubeVersion {
  /** `v1.34.2` */
  readonly version: string;
  readonly major: string;
  readonly minor: string;
}

/** Reads `1.34`, `v1.34.2`, `1.34.2-eks-1`: at least two numbers; whatever follows the numbers is dropped, as Helm does. */
export function parseKubeVersion(text: string): KubeVersion {
  const [, numbers = ""] = /^\s*v?(\d+(?:\.\d+)*)/.exec(text) ?? [];
  const [major, minor, ...rest] = numbers.split(".");
  const isReadable = major !== undefined && minor !== undefined && !/^0./.test(major) && !/\n./.test(text);
  if (!isReadable || numbers.split(".").some((part) => BigInt(part) >= 2n ** 64n)) {
    throw new InputError(`${JSON.stringify(text)} is not a Kubernetes version`, {
      next: "write it like 1.34 or v1.34.2",
    });
  }
  const components = [major, minor, ...rest].map((part) => BigInt(part).toString());
  return { version: `v${components.join(".")}`, major: components[0] ?? "", minor: components[1] ?? "" };
}
