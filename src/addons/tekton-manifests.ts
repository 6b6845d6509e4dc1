import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { compareText, isRecord } from "#base";
import { isKubeObject, type KubeObject } from "#kube";
import { parseYamlDocuments } from "#yaml";
import { tektonImageName } from "./tekton-images.ts";
import { tektonCommands, type TektonPrograms } from "./tekton-programs.ts";

/** What Tekton consists of in a cluster, in the order in which it is applied. */
export interface TektonManifests {
  readonly namespaces: readonly KubeObject[];
  readonly definitions: readonly KubeObject[];
  /** Rights, settings, Services. */
  readonly others: readonly KubeObject[];
  readonly webhooks: readonly KubeObject[];
  readonly deployments: readonly KubeObject[];
}

/**
 * Left out: the controller that sends events to a sink, and the autoscaler of the webhook, which needs metrics that no one
 * serves here.
 */
const leftOut = new Set(["events.yaml", "webhook-hpa.yaml"]);

/** Reads Tekton's manifests, with the images that an instance has. */
export async function readTektonManifests(programs: TektonPrograms): Promise<TektonManifests> {
  const found = await Array.fromAsync(glob("**/*.yaml", { cwd: programs.manifests }));
  const files = found.filter((file) => !leftOut.has(file)).toSorted(compareText);
  const texts = await Promise.all(files.map((file) => readFile(join(programs.manifests, file), "utf8")));
  return arrangeManifests(
    files.flatMap((file, index) => parseManifest(file, texts[index] ?? "", programs)),
    programs,
  );
}

/** The objects of a file. Releases of Tekton replace the same texts. */
function parseManifest(file: string, text: string, { version }: TektonPrograms): KubeObject[] {
  const images = tektonCommands.map((command) => [
    `ko://github.com/tektoncd/pipeline/cmd/${command}`,
    tektonImageName(command, version),
  ]);
  let replaced = text.replaceAll('"devel"', JSON.stringify(`v${version}`));
  for (const [from = "", to = ""] of images) replaced = replaced.replaceAll(from, to);
  return parseYamlDocuments(replaced, { file }).map(({ value }) => {
    if (!isKubeObject(value)) throw new Error(`${file} of Tekton ${version} has a document that is not an object`);
    return value;
  });
}

/** Sorts Tekton's objects, and changes its Deployments to what an instance has. */
function arrangeManifests(
  objects: readonly KubeObject[],
  { version, hash }: Pick<TektonPrograms, "version" | "hash">,
): TektonManifests {
  const arranged: Record<keyof TektonManifests, KubeObject[]> = {
    namespaces: [],
    definitions: [],
    others: [],
    webhooks: [],
    deployments: [],
  };
  for (const object of objects) arranged[stages[object.kind] ?? "others"].push(object);
  return { ...arranged, deployments: arranged.deployments.map((object) => fitDeployment(object, version, hash)) };
}

const stages: Readonly<Record<string, keyof TektonManifests>> = {
  Namespace: "namespaces",
  CustomResourceDefinition: "definitions",
  ValidatingWebhookConfiguration: "webhooks",
  MutatingWebhookConfiguration: "webhooks",
  Deployment: "deployments",
};

/** The hash starts new pods when the programs have changed, although their images keep their names. */
function fitDeployment(object: KubeObject, version: string, hash: string): KubeObject {
  const spec = fields(object["spec"]);
  const template = fields(spec["template"]);
  const metadata = fields(template["metadata"]);
  const pod = fields(template["spec"]);
  const containers = Array.isArray(pod["containers"]) ? pod["containers"].map(fields) : [];
  const annotations = { ...fields(metadata["annotations"]), "tenon.dev/programs": hash };
  return {
    ...object,
    spec: {
      ...spec,
      template: {
        ...template,
        metadata: { ...metadata, annotations },
        spec: { ...pod, containers: containers.map((container) => fitContainer(container, version)) },
      },
    },
  };
}

function fitContainer(container: Fields, version: string): Fields {
  const { command, args } = container;
  return {
    ...container,
    // Tekton's own image of the resolvers has tini; ours does not need it, because Go waits for the git it starts.
    ...(Array.isArray(command) && command[0] === "/sbin/tini" ? { command: command.slice(2) } : {}),
    ...(Array.isArray(args) ? { args: withOwnShell(args, version) } : {}),
  };
}

function withOwnShell(args: readonly unknown[], version: string): unknown[] {
  return args.map((word, index) => (args[index - 1] === "-shell-image" ? tektonImageName("shell", version) : word));
}

type Fields = Readonly<Record<string, unknown>>;

function fields(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
