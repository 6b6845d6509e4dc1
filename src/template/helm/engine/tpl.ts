import { FunctionError, goFunction, quote } from "#golang";
import { contextOf, renderingOf } from "./rendering.ts";

/** Renders a text as a template. What it defines can be included by it, and by what it includes, but not after it. */
export const tpl = goFunction(["string", "any"], ([text, data], context) => {
  if (!text.includes("{{")) return withoutNoValue(text);
  const rendering = renderingOf(context);
  const templates = rendering.templates.clone();
  const template = during(text, "cannot parse template", () => templates.parse(rendering.name, text));
  const inner = { context: contextOf({ ...rendering, templates }, context) };
  return withoutNoValue(during(text, "error during tpl function execution for", () => template.execute(data, inner)));
});

/** Go prints this for what is missing, and Helm takes it away again wherever it is. */
export function withoutNoValue(text: string): string {
  return text.includes("<no value>") ? text.replaceAll("<no value>", "") : text;
}

function during<Result>(text: string, what: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    // By name: this must work with next to no stack left.
    if (!(error instanceof Error) || error.name !== "TemplateError") throw error;
    throw new FunctionError(`${what} ${quote(text)}: ${error.message}`, { cause: error });
  }
}
