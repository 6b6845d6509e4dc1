import { readFile } from "node:fs/promises";
import { InputError, Secret } from "#base";

/** The token of a data server, from a file or the environment; undefined when there is none. */
export async function readToken(file: string | undefined, env: NodeJS.ProcessEnv): Promise<Secret | undefined> {
  if (file === undefined) {
    const given = env["TENON_DATA_TOKEN"];
    return given === undefined || given === "" ? undefined : new Secret(given);
  }
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new InputError("the token cannot be read", {
      where: file,
      next: "check the path and its permissions",
      cause,
    });
  });
  if (text.trim() !== "") return new Secret(text.trim());
  throw new InputError("the file of the token is empty", { where: file, next: "write the token into it" });
}
