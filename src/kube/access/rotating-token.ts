import { type Clock, InputError, Secret } from "#base";
import { readNamedFile } from "./credential-field.ts";
import { type RotatingValue, rotatingValue } from "./rotating-value.ts";

/** A token in a file, which is replaced before the token expires. */
export function rotatingToken(
  file: string,
  where: string,
  clock: Pick<Clock, "monotonic">,
): Promise<RotatingValue<Secret>> {
  return rotatingValue(
    [file],
    async () => {
      const token = (await readNamedFile("the token", file, where)).trim();
      if (token !== "") return new Secret(token);
      throw new InputError(`the token file is empty: ${file}`, { where, next: "write a token there" });
    },
    clock,
  );
}
