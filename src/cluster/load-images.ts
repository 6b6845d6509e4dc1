import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { CommandFailed, InputError } from "#base";
import { isRunning } from "./process.ts";
import { readRun } from "./status.ts";
import type { InstanceOptions } from "./stop.ts";

export interface LoadOptions extends InstanceOptions {
  /** Archives as `docker save` or an OCI layout in a tar have it, also compressed by gzip. */
  readonly files: readonly string[];
}

export interface LoadedImage {
  readonly file: string;
  readonly name: string;
  readonly digest: string;
}

/** Puts the images of archives on the instance's real node, where pods find them by name without pulling. */
export async function loadImages(options: LoadOptions, signal: AbortSignal): Promise<LoadedImage[]> {
  const run = await readRun(join(options.home.data, options.name));
  if (!run || !(await isRunning(run))) {
    throw new InputError(`instance ${options.name} is not running`, {
      next: `start it with \`tenon cluster start --node --name ${options.name}\``,
    });
  }
  if (run.nodePid === undefined) {
    throw new InputError(`instance ${options.name} has no real node to load images into`, {
      next: `stop it and start it with \`tenon cluster start --node --name ${options.name}\``,
    });
  }
  const loaded: LoadedImage[] = [];
  for (const file of options.files) loaded.push(...(await loadImage(file, run.nodePid, signal)));
  return loaded;
}

async function loadImage(file: string, nodePid: number, signal: AbortSignal): Promise<LoadedImage[]> {
  const isCompressed = await startsWithGzip(file);
  // The files of the node are visible on the machine below its first process; see cluster/node/config.go.
  const socket = `/proc/${nodePid}/root/run/containerd/containerd.sock`;
  const flags = ["--address", socket, "--namespace", "k8s.io", "images", "import", "-"];
  const child = spawn("ctr", flags, { stdio: ["pipe", "pipe", "pipe"], signal });
  let output = "";
  let complaint = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const closed = once(child, "close");
  const [delivery, ending] = await Promise.allSettled([
    isCompressed
      ? pipeline(createReadStream(file), createGunzip(), child.stdin)
      : pipeline(createReadStream(file), child.stdin),
    closed,
  ]);
  signal.throwIfAborted();
  if (ending.status === "rejected" || child.exitCode !== 0) {
    throw new CommandFailed(`cannot load ${file}: ${complaint.trim() || "ctr failed"}`, {
      next: "give archives as `docker save` or `npm run image` write them; see `tenon cluster load --help`",
      cause:
        ending.status === "rejected" ? ending.reason : delivery.status === "rejected" ? delivery.reason : undefined,
    });
  }
  return parseImported(file, output);
}

/** ctr prints `unpacking NAME (DIGEST)...done` for each image. */
export function parseImported(file: string, output: string): LoadedImage[] {
  return [...output.matchAll(/^unpacking (\S+) \((sha256:[0-9a-f]{64})\)/gm)].map(([, name = "", digest = ""]) => ({
    file,
    name,
    digest,
  }));
}

async function startsWithGzip(path: string): Promise<boolean> {
  const file = await open(path).catch((cause: unknown) => {
    throw new InputError(`cannot read ${path}`, { next: "give the path of an image archive", cause });
  });
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}
