import type { FunctionSet, GoFunction } from "#golang";
import { builtins } from "../../src/template/go-template/index.ts";
import { helmFunctions } from "../../src/template/helm/engine/helm-functions.ts";
import { disabledInPlugs, disabledInSprig, plugFunctions, sprigFunctions } from "../../src/template/sprig/index.ts";
import { code, generatedFrom, page, table } from "./markdown.ts";

/** The page of template functions, read from the sets that the engine itself uses. */
export async function templatesReference(): Promise<string> {
  return page(
    generatedFrom("the function sets in `src/template/`"),
    "# Templates",
    [
      "Templates are Go's `text/template`, in charts with the functions of Helm 3, in Plugs and Sockets between `{%` and `%}` with those of sprig 2.22.",
      "What each gives is what Go gives: [the corpus](../../test/oracle/README.md) compares them case by case.",
      "A function that is not in these tables is refused when the template is parsed.",
    ].join("\n"),
    "## From TypeScript",
    [
      "`#template` has three doors:",
      "",
      "- `compileTemplate(text, options)` parses one template; `execute(data)` renders it.",
      "- `loadChart(path)` and `renderChart(chart, options)` render a Helm chart: objects, hooks, CRDs, notes.",
      "- `processTemplate(template, { parameters })` does what `oc process` does with an OpenShift `Template`.",
      "",
      "`PlugTemplate` and `renderObject` add the rules of Plugs and Sockets: what is missing is absent and never `<no value>`, objects keep their structure whatever the values hold, and it is told whether a secret was read.",
    ].join("\n"),
    "## Functions of Go",
    list(builtins()),
    "## Functions of charts",
    [
      `These are sprig 3.3 and Helm's own. Refused by name: ${names(disabledInSprig)}, but that charts may call \`getHostByName\`, which gives the empty text as Helm's does.`,
      "Bounds are far away, but there: a chart that never ends, ends with an error.",
    ].join("\n"),
    signatures(helmFunctions),
    "## Functions of Plugs and Sockets",
    [
      `These are sprig 2.22. Refused by name: ${names(disabledInPlugs)}.`,
      "One rendering may take 250 ms, a million steps, 1 MiB of output and a depth of 100 templates.",
      `Of these, ${[...plugFunctions]
        .filter(([, known]) => known.unstable)
        .map(([name]) => code(name))
        .toSorted()
        .join(", ")} give something else each time; what they render is left out of the comparison with what is there.`,
    ].join("\n"),
    list(plugFunctions),
    `Sprig 3.3 by itself, for \`compileTemplate(text, { functions: "sprig" })\`, has ${sprigFunctions.size} functions.`,
  );
}

function list(set: FunctionSet): string {
  return `${names(set.keys())}.`;
}

function names(all: Iterable<string>): string {
  return [...all].toSorted().map(code).join(", ");
}

function signatures(set: FunctionSet): string {
  const rows = [...set].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return table(
    ["Function", "Arguments"],
    rows.map(([name, known]) => [code(name), parametersOf(known)]),
  );
}

function parametersOf({ parameters, variadic }: GoFunction): string {
  return parameters
    .map((type, index) => code(variadic && index === parameters.length - 1 ? `${type}...` : type))
    .join(", ");
}
