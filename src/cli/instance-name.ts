import { InputError } from "#base";

const longest = 40;

/** The name is part of paths, process arguments and Kubernetes names, so it must be fit for the strictest of them. */
export function requireInstanceName(name: string): string {
  if (name.length <= longest && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)) return name;
  throw new InputError(`${JSON.stringify(name)} is no name for an instance`, {
    where: "--name",
    next: `use lower-case letters, digits and "-", not at either end, and at most ${longest} of them`,
  });
}
