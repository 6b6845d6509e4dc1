import { join } from "node:path";
import {
  baseEntries,
  type BuiltImage,
  buildImage,
  gitLayer,
  type ImageLayer,
  programEntries,
  unprivilegedUser,
} from "#oci";
import { type TektonCommand, tektonCommands, type TektonPrograms } from "./tekton-programs.ts";

/** The image that Tekton writes the scripts of steps with. It is also good for small steps. */
const shellImage = "shell";

/** What the scripts of Tekton call, and what small steps are made of. */
const shellCommands =
  "basename cat chmod cp cut date dirname env expr head ls mkdir mv rm seq sha256sum sleep sort tail tee touch tr uniq wc".split(
    " ",
  );

/** How pods of an instance name an image of Tekton. */
export function tektonImageName(image: TektonCommand | typeof shellImage, version: string): string {
  return `localhost/tekton/${image}:${version}`;
}

/** Tekton's images, made one after the other, since each is as large as its program. */
export async function* makeTektonImages({ directory, version }: TektonPrograms): AsyncGenerator<BuiltImage> {
  const base: ImageLayer = { comment: "base", entries: await baseEntries() };
  for (const command of tektonCommands) {
    const path = `/ko-app/${command}`;
    const program: ImageLayer = {
      comment: command,
      entries: [{ path, copyOf: join(directory, command), mode: 0o755 }],
    };
    yield await buildImage({
      name: tektonImageName(command, version),
      compression: "none",
      layers: command === "resolvers" ? [base, await gitLayer(base), program] : [base, program],
      entrypoint: [path],
      env: { PATH: "/usr/bin:/bin", HOME: "/home/tenon" },
      user: `${unprivilegedUser}:${unprivilegedUser}`,
    });
  }
  const commands = shellCommands.map((command) => [`/bin/${command}`, `/usr/bin/${command}`] as const);
  const programs = await programEntries({ "/bin/sh": "/bin/sh", ...Object.fromEntries(commands) });
  yield await buildImage({
    name: tektonImageName(shellImage, version),
    compression: "none",
    layers: [base, { comment: "shell", entries: programs }],
    entrypoint: ["/bin/sh"],
    env: { PATH: "/usr/bin:/bin" },
  });
}
