import type { FunctionSet, GoFunction } from "#golang";
import { builtins } from "../../src/template/go-template/index.ts";
import { helmFunctions } from "../../src/template/helm/engine/helm-functions.ts";
import { disabledInPlugs, disabledInSprig, plugFunctions, sprigFunctions } from "../../src/template/sprig/index.ts";
import { code, generatedFrom, page, table } from "./markdown.ts";

/** The page of template functions, generated from the function sets of the engine. */
export async function templatesReference(): Promise<string> {
  return page(
    generatedFrom("the function sets in `src/template/`"),
    "# Templates",
    [
      "Templates are Go's `text/template`, in charts with the functions of Helm 3, in Plugs and Sockets between `{%` and `%}` with those of sprig 2.22.",
      "Each function behaves as in Go: [the corpus](../../test/oracle/README.md) compares them case by case.",
      "A function that is not in these tables is refused when the template is parsed.",
    ].join("\n"),
    "## From TypeScript",
    [
      "`#template` has three entry points:",
      "",
      "- `compileTemplate(text, options)` parses one template; `execute(data)` renders it.",
      "- `loadChart(path)` and `renderChart(chart, options)` render a Helm chart: objects, hooks, CRDs, notes.",
      "- `processTemplate(template, { parameters })` does what `oc process` does with an OpenShift `Template`.",
      "",
      "`PlugTemplate` and `renderObject` add the rules of Plugs and Sockets: a missing value never prints `<no value>`, no value can change the structure of an object, and each rendering reports whether it read a secret.",
    ].join("\n"),
    "## Functions of Go",
    list(builtins()),
    "## Functions of charts",
    [
      `These are the functions of sprig 3.3 and Helm's own. Refused by name: ${names(disabledInSprig)}; charts may call \`getHostByName\`, which gives an empty string, as in Helm without \`--enable-dns\`.`,
      "A chart may take 200 million steps, make texts and lists of 1 GiB in all and of 256 MiB at once, write 256 MiB, and nest 1,000 includes. Nothing is timed: the same chart with the same values always ends the same way.",
    ].join("\n"),
    signatures(helmFunctions),
    "## Functions of Plugs and Sockets",
    [
      `These are the functions of sprig 2.22. Refused by name: ${names(disabledInPlugs)}.`,
      "One rendering may take a million steps, make texts and lists of 32 MiB in all and of 1 MiB at once, write 1 MiB, and nest 100 templates; all templates of one attempt may take two million steps. Nothing is timed.",
      "Keys that take long to make come from a stock: the first template that asks for an RSA or DSA key fails, and Tenon retries when the key is made. One rendering gets four RSA keys of 2,048 bits at most (`genCA` and the like), or one of 4,096 bits or of DSA (`genPrivateKey`); `ecdsa` keys are made at once.",
      `Of these, ${[...plugFunctions]
        .filter(([, known]) => known.unstable)
        .map(([name]) => code(name))
        .toSorted()
        .join(", ")} differ from run to run; their results are left out when desired and live objects are compared.`,
    ].join("\n"),
    list(plugFunctions),
    `Sprig 3.3 alone, for \`compileTemplate(text, { functions: "sprig" })\`, has ${sprigFunctions.size} functions.`,
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
