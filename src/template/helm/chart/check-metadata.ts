import { posix } from "node:path";
import { InputError } from "#base";
import { FunctionError, parseVersion } from "#golang";
import type { ChartMetadata } from "./chart.ts";

/** Refuses what Helm does not take for a chart. */
export function checkMetadata(
  { name, apiVersion, version, type, dependencies = [] }: ChartMetadata,
  where: string,
): void {
  if (apiVersion === "") throw new InputError("apiVersion is missing", { where, next: "write apiVersion: v2" });
  if (name === "") throw new InputError("name is missing", { where, next: "name the chart: name: my-chart" });
  if (name === "." || name === ".." || name !== posix.basename(name)) {
    throw new InputError(`${JSON.stringify(name)} cannot be the name of a chart`, {
      where,
      next: "use letters, digits and -",
    });
  }
  if (version === "") throw new InputError("version is missing", { where, next: "write version: 0.1.0" });
  if (!isVersion(version)) {
    throw new InputError(`${JSON.stringify(version)} is not a version`, { where, next: "write it like 1.2.3" });
  }
  if (type !== "" && type !== "application" && type !== "library") {
    throw new InputError(`the type ${JSON.stringify(type)} is unknown`, {
      where,
      next: "write application or library",
    });
  }
  const names = new Set<string>();
  for (const dependency of dependencies) {
    const { alias } = dependency;
    if (alias !== "" && !/^[a-zA-Z0-9_-]+$/.test(alias)) {
      throw new InputError(
        `the alias ${JSON.stringify(alias)} of the dependency ${dependency.name} has a character that is not allowed`,
        {
          where,
          next: "use letters, digits, _ and -",
        },
      );
    }
    const key = alias || dependency.name;
    if (names.has(key)) {
      throw new InputError(`two dependencies have the name or alias ${JSON.stringify(key)}`, {
        where,
        next: "give one an alias",
      });
    }
    names.add(key);
  }
}

function isVersion(text: string): boolean {
  try {
    parseVersion(text);
    return true;
  } catch (error) {
    if (error instanceof FunctionError) return false;
    throw error;
  }
}
