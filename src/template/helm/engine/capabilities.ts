import { goFunction, Named, Slice, Struct } from "#golang";
import { defaultApiVersions } from "./default-api-versions.ts";
import { type KubeVersion, parseKubeVersion } from "./kube-version.ts";

/** What the cluster offers that a chart is rendered for. */
export interface Capabilities {
  readonly kubeVersion: KubeVersion;
  /** `apps/v1`, and from a live cluster `apps/v1/Deployment` too. */
  readonly apiVersions: readonly string[];
}

/** Of the Helm whose behaviour this is. */
const helmVersion = "v3.22.0";
const goVersion = "go1.26";

/** What Helm takes for granted when it does not talk to a cluster. */
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
