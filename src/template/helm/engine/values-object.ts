import { FunctionError, goFunction, type GoObject, isGoObject, mapGet, Named, toYaml } from "#golang";
import { leafAt } from "../values/table.ts";

/** `.Values` and `.Template`, which are maps with the methods that Helm's type has. */
export function valuesObject(values: GoObject): Named {
  return new Named("chartutil.Values", values, {
    AsMap: goFunction([], () => values),
    YAML: goFunction([], () => `${toYaml(values)}\n`),
    Table: goFunction(["string"], ([path]) => valuesObject(table(values, path))),
    PathValue: goFunction(["string"], ([path]) => {
      if (path === "") throw new FunctionError("YAML path cannot be empty");
      const value = leafAt(values, path);
      if (value === undefined) throw new FunctionError(`${JSON.stringify(path.split(".").at(-1))} is not a value`);
      return value;
    }),
  });
}

function table(values: GoObject, path: string): GoObject {
  let current = values;
  for (const key of path.split(".")) {
    const next = mapGet(current, key);
    if (!isGoObject(next)) throw new FunctionError(`${JSON.stringify(key)} is not a table`);
    current = next;
  }
  return current;
}
