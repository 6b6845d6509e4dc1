import { createHash } from "node:crypto";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { isRecord } from "#base";
import { readinessOf } from "#inventory";
import { isKubeObject, type KubeClient, type KubeObject, refOf } from "#kube";
import { baseEntries, buildImage, unprivilegedUser, writeImageArchive } from "#oci";
import { parseYamlDocuments } from "#yaml";
import { ensurePipelinesAsCode, pipelinesAsCodeManifests } from "./program.ts";

export interface PipelinesAsCodeOptions {
  readonly client: KubeClient;
  /** Puts an image archive on the node. */
  readonly load: (archive: string) => Promise<void>;
  /** In PEM, of the forge that it calls. */
  readonly certificateAuthority: string;
}

const namespace = "pipelines-as-code";
/** The volume with the certificate of the forge. */
const forge = "forge";
const patience = { timeout: 10 * 60_000, interval: 500 };
/** Of its manifests those of the controller, which takes webhooks, and of the watcher; its own admission webhook is left out. */
const files = [
  "100-namespace.yaml",
  "200-role.yaml",
  "201-controller-role.yaml",
  "202-watcher-role.yaml",
  "300-repositories.yaml",
  "301-config-logging.yaml",
  "302-pac-configmap.yaml",
  "303-pac-info-configmap.yaml",
  "305-config-observability.yaml",
  "306-pac-watcher-config-leader-election.yaml",
  "400-controller.yaml",
  "401-controller-service.yaml",
  "500-watcher.yaml",
  "501-watcher-service.yaml",
];

/** Runs Pipelines-as-Code in a cluster with Tekton, and returns where a forge on this machine sends its webhooks. */
export async function installPipelinesAsCode(options: PipelinesAsCodeOptions): Promise<string> {
  const { client, certificateAuthority } = options;
  await loadPrograms(options);
  const directory = await pipelinesAsCodeManifests();
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  const objects = texts.flatMap((text) =>
    parseYamlDocuments(text).flatMap(({ value }): KubeObject[] => (isKubeObject(value) ? [value] : [])),
  );
  const suffix = createHash("sha256").update(certificateAuthority).digest("hex").slice(0, 8);
  const certificates = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${forge}-${suffix}`, namespace },
    data: { "ca.crt": certificateAuthority },
  };
  const [first, ...others] = objects;
  const all = [first, certificates, ...others.map((object) => fitted(object, certificates.metadata.name))];
  for (const object of all) if (object) await client.apply(object, { fieldManager: "test", force: true });
  for (const object of objects.filter(({ kind }) => kind === "Deployment")) {
    await vi.waitUntil(async () => readinessOf(await client.get(refOf(object))).is === "ready", patience);
  }
  const service = { apiVersion: "v1", kind: "Service", namespace, name: "pipelines-as-code-controller" };
  const { spec } = await client.get(service);
  return `http://${String(isRecord(spec) ? spec["clusterIP"] : "")}:8080`;
}

async function loadPrograms({ load }: PipelinesAsCodeOptions): Promise<void> {
  const programs = await ensurePipelinesAsCode(new AbortController().signal);
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-pac-"));
  const archive = join(directory.path, "image.tar");
  for (const [name, copyOf] of Object.entries(programs)) {
    const path = `/ko-app/${name}`;
    const image = await buildImage({
      name: imageOf(name),
      compression: "none",
      layers: [
        { comment: "base", entries: await baseEntries() },
        { comment: name, entries: [{ path, copyOf, mode: 0o755 }] },
      ],
      entrypoint: [path],
      user: `${unprivilegedUser}:${unprivilegedUser}`,
    });
    await writeImageArchive([image], archive);
    await load(archive);
  }
}

function imageOf(program: string): string {
  return `localhost/pipelines-as-code/${program}:0.48.0`;
}

/** A Deployment gets our images and the certificate; everything else is as it is. */
function fitted(object: KubeObject, certificates: string): KubeObject {
  if (object.kind !== "Deployment") return object;
  const spec = fields(object["spec"]);
  const template = fields(spec["template"]);
  const pod = fields(template["spec"]);
  const containers = list(pod["containers"]).map(fitContainer);
  const volumes = [...list(pod["volumes"]), { name: forge, configMap: { name: certificates } }];
  return { ...object, spec: { ...spec, template: { ...template, spec: { ...pod, containers, volumes } } } };
}

function fitContainer(container: Fields): Fields {
  const mountPath = `/etc/${forge}`;
  return {
    ...container,
    image: imageOf(String(container["image"]).replace(/^.*\/pipelines-as-code-/, "")),
    imagePullPolicy: "Never",
    env: [...list(container["env"]), { name: "SSL_CERT_FILE", value: `${mountPath}/ca.crt` }],
    volumeMounts: [...list(container["volumeMounts"]), { name: forge, mountPath }],
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fields(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
