import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "#base";
import {
  absentTag,
  isDigest,
  mergeCredentials,
  openRegistries,
  parseDockerConfig,
  type Registries,
  type RegistryCredentials,
  type RegistrySettings,
  type TagFacts,
} from "#oci";
import type { Shell } from "../shell.ts";

/** The options of all `tenon image` commands. */
export interface RegistryChoice {
  readonly registryConfig?: string;
  readonly plainHttp: readonly string[];
  readonly caFile?: string;
}

/** The options that keep a tag from being moved by mistake. */
export interface GuardChoice {
  readonly expect?: string;
  readonly keepExisting: boolean;
}

/** How the user reaches registries. */
export interface ShellRegistrySettings extends RegistrySettings {
  readonly credentials: RegistryCredentials;
  /** The files with credentials that were found. */
  readonly credentialFiles: readonly string[];
}

/** Registries with the credentials of the user. */
export async function openShellRegistries(choice: RegistryChoice, shell: Pick<Shell, "env">): Promise<Registries> {
  return openRegistries(await readShellRegistries(choice, shell));
}

export async function readShellRegistries(
  choice: RegistryChoice,
  shell: Pick<Shell, "env">,
): Promise<ShellRegistrySettings> {
  const certificateAuthority = choice.caFile === undefined ? undefined : await readRequired(choice.caFile, "--ca-file");
  if (certificateAuthority !== undefined && !certificateAuthority.includes("-----BEGIN CERTIFICATE-----")) {
    throw new InputError("expected certificates in PEM", { where: choice.caFile ?? "", next: "check --ca-file" });
  }
  const given = choice.registryConfig ?? (shell.env["REGISTRY_AUTH_FILE"] || undefined);
  const files =
    given === undefined
      ? await readPresent(usualFiles(shell.env))
      : [{ file: given, text: await readRequired(given, "--registry-config") }];
  return {
    credentials: mergeCredentials(files.map(({ file, text }) => parseDockerConfig(text, file))),
    credentialFiles: files.map(({ file }) => file),
    plainHttp: choice.plainHttp,
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
  };
}

export function readGuards({ expect, keepExisting }: GuardChoice): Pick<TagFacts, "expected" | "isImmutable"> {
  if (expect !== undefined && expect !== absentTag && !isDigest(expect)) {
    throw new InputError(`${JSON.stringify(expect)} is not a valid digest`, {
      where: "--expect",
      next: "give sha256: and 64 lower case hexadecimal digits, or `absent`; `tenon image inspect` prints digests",
    });
  }
  return { expected: expect, isImmutable: keepExisting };
}

/** Docker's file, then podman's: https://github.com/containers/image/blob/main/docs/containers-auth.json.5.md */
function usualFiles({ DOCKER_CONFIG, HOME, XDG_RUNTIME_DIR }: Shell["env"]): string[] {
  const docker = DOCKER_CONFIG || (HOME ? join(HOME, ".docker") : undefined);
  return [
    ...(docker === undefined ? [] : [join(docker, "config.json")]),
    ...(XDG_RUNTIME_DIR ? [join(XDG_RUNTIME_DIR, "containers", "auth.json")] : []),
  ];
}

async function readPresent(files: readonly string[]): Promise<{ file: string; text: string }[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(absentOnly)));
  return files.flatMap((file, index) => {
    const text = texts[index];
    return text === undefined ? [] : [{ file, text }];
  });
}

function absentOnly(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}

async function readRequired(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new InputError("cannot read the file", { where: file, next: `check ${option} and the permissions`, cause });
  }
}
