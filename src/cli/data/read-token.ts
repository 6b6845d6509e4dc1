import { readFile } from "node:fs/promises";
import { InputError, Secret } from "#base";

/** A token from a file or the variable TENON_DATA_TOKEN; undefined if neither is set. */
export async function readToken(file: string | undefined, env: NodeJS.ProcessEnv): Promise<Secret | undefined> {
  if (file === undefined) {
    const given = env["TENON_DATA_TOKEN"];
    return given === undefined || given === "" ? undefined : new Secret(given);
  }
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new InputError("cannot read the token", {
      where: file,
      next: "check the path and its permissions",
      cause,
    });
  });
  if (text.trim() !== "") return new Secret(text.trim());
  throw new InputError("the token file is empty", { where: file, next: "write the token to it" });
}
