import { InputError } from "#base";
import { goFunction, Named, Slice, Struct } from "#golang";
import { defaultApiVersions } from "./default-api-versions.ts";

/** A Kubernetes version as `.Capabilities.KubeVersion` shows it. */
export interface KubeVersion {
  /** `v1.34.2` */
  readonly version: string;
  readonly major: string;
  readonly minor: string;
}

/** Reads `1.34`, `v1.34.2`, `1.34.2-eks-1`: at least two numbers; a suffix is dropped, as in Helm. */
export function parseKubeVersion(text: string): KubeVersion {
  const [, numbers = ""] = /^\s*v?(\d+(?:\.\d+)*)/.exec(text) ?? [];
  const [major, minor, ...rest] = numbers.split(".");
  const isReadable = major !== undefined && minor !== undefined && !/^0./.test(major) && !/\n./.test(text);
  if (!isReadable || numbers.split(".").some((part) => BigInt(part) >= 2n ** 64n)) {
    throw new InputError(`${JSON.stringify(text)} is not a valid Kubernetes version`, {
      next: "write it like 1.34 or v1.34.2",
    });
  }
  const components = [major, minor, ...rest].map((part) => BigInt(part).toString());
  return { version: `v${components.join(".")}`, major: components[0] ?? "", minor: components[1] ?? "" };
}

/** The capabilities of the target cluster. */
export interface Capabilities {
  readonly kubeVersion: KubeVersion;
  /** `apps/v1`, and from a live cluster `apps/v1/Deployment` too. */
  readonly apiVersions: readonly string[];
}

/** The version of Helm that this engine reproduces. */
const helmVersion = "v3.22.0";
const goVersion = "go1.26";

/** Helm's defaults without a cluster. */
export const defaultCapabilities: Capabilities = {
  kubeVersion: parseKubeVersion("1.37.0"),
  apiVersions: defaultApiVersions,
};

const objects = new WeakMap<Capabilities, Struct>();

/** `.Capabilities` */
export function capabilitiesObject(capabilities: Capabilities): Struct {
  const known = objects.get(capabilities);
  if (known) return known;
  const made = makeObject(capabilities);
  objects.set(capabilities, made);
  return made;
}

function makeObject({ kubeVersion: { version, major, minor }, apiVersions }: Capabilities): Struct {
  const known = new Set(apiVersions);
  const text = () => version;
  const build = { Version: helmVersion, GitCommit: "", GitTreeState: "", GoVersion: goVersion };
  return new Struct("*chartutil.Capabilities", {
    fields: {
      KubeVersion: new Struct("chartutil.KubeVersion", {
        fields: { Version: version, Major: major, Minor: minor },
        methods: { String: goFunction([], text), GitVersion: goFunction([], text) },
        pointerText: text,
      }),
      APIVersions: new Named("chartutil.VersionSet", new Slice("string", apiVersions), {
        Has: goFunction(["string"], ([name]) => known.has(name)),
      }),
      HelmVersion: new Struct("version.BuildInfo", {
        fields: build,
        json: () => new Struct("", { fields: { version: helmVersion, go_version: goVersion } }),
      }),
    },
  });
}
