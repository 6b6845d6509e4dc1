import type { JsonObject } from "#base";

/** A string whose bytes need not be UTF-8 is given in base64. */
export type Text = string | { readonly $bytes: string };

/** Executes one of a set of templates. Anywhere in the data, `{ $bytes }` is a string. */
export interface TemplateRequest {
  readonly op: "template";
  /** Parsed in this order. */
  readonly templates: Readonly<Record<string, Text>>;
  readonly entry: string;
  readonly data?: unknown;
  /** The data as JSON text, for numbers that JavaScript would write otherwise. */
  readonly json?: string | undefined;
  /** What JSON's numbers become; `int64` only where they have neither point nor exponent, as in Kubernetes. */
  readonly numbers?: "float64" | "int64" | "number" | undefined;
  /** `sprig` is version 3.3, `plug` version 2.22, `helm` what Helm's engine gives a chart's templates. */
  readonly functions?: "go" | "sprig" | "plug" | "helm" | undefined;
  readonly left?: string | undefined;
  readonly right?: string | undefined;
  readonly missingKey?: "default" | "zero" | "error" | undefined;
}

/** Reads YAML as kubectl and Helm do; the output is JSON. */
export interface YamlRequest {
  readonly op: "yaml";
  readonly text: Text;
  readonly strict?: boolean | undefined;
}

/** Does what `helm template` does; the output is what it prints. */
export interface ChartRequest {
  readonly op: "chart";
  /** By path, in base64. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly directory?: string | undefined;
  readonly archive?: string | undefined;
  /** The texts of values files. */
  readonly values?: readonly string[] | undefined;
  readonly set?: readonly string[] | undefined;
  readonly setString?: readonly string[] | undefined;
  readonly setJson?: readonly string[] | undefined;
  readonly setLiteral?: readonly string[] | undefined;
  readonly release?: { readonly name?: string; readonly namespace?: string; readonly isUpgrade?: boolean } | undefined;
  readonly kubeVersion?: string | undefined;
  readonly apiVersions?: readonly string[] | undefined;
  readonly includeCrds?: boolean | undefined;
  readonly skipTests?: boolean | undefined;
  readonly noHooks?: boolean | undefined;
  readonly renderSubchartNotes?: boolean | undefined;
  readonly skipSchemaValidation?: boolean | undefined;
}

/** Has Go check what we generated: an error if it is unsound, else what Go sees in it, as JSON. */
export type VerifyRequest = { readonly op: "verify" } & (
  | {
      /** In PEM; `ca` signed it (left out: it signed itself), and it must be good for all of `names`: DNS names and addresses. */
      readonly kind: "certificate";
      readonly certificate: string;
      readonly key: string;
      readonly ca?: string;
      readonly names?: readonly string[];
    }
  | { readonly kind: "privateKey"; readonly key: string }
  | { readonly kind: "bcrypt"; readonly hash: string; readonly password: string }
);

/** Does what `oc process --local` does; the output is JSON: `{"objects": […], "message": "…"}`. */
export interface ProcessRequest {
  readonly op: "process";
  readonly template: JsonObject;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly ignoreUnknownParameters?: boolean | undefined;
}

/** Lists a set of functions; the output is JSON, their Go types by name. */
export interface FunctionsRequest {
  readonly op: "functions";
  readonly functions: "go" | "sprig" | "plug" | "helm";
}

export type OracleRequest =
  | TemplateRequest
  | YamlRequest
  | ChartRequest
  | ProcessRequest
  | FunctionsRequest
  | VerifyRequest;

/** What Go says: an output or an error, in base64 if it is not UTF-8. */
export interface OracleAnswer {
  readonly output?: string | undefined;
  readonly outputBase64?: string | undefined;
  readonly error?: string | undefined;
  readonly errorBase64?: string | undefined;
  readonly phase?: "parse" | "execute" | undefined;
  /** Go did not refuse but panicked. */
  readonly panic?: boolean | undefined;
  /** It did not refuse but gave up: Go died, or we came to a bound. */
  readonly fatal?: boolean | undefined;
}

export interface ChartAnswer extends OracleAnswer {
  readonly manifest?: string | undefined;
  readonly hooks?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly path: string;
    readonly manifest: string;
    readonly events: readonly string[];
    readonly weight: number;
  }[];
  readonly notes?: string | undefined;
}
