import { FunctionError, goFunction } from "#golang";
import { renderingOf } from "./rendering.ts";

const mostNested = 1_000;

/** Renders another template into a string. It may include itself, but not without end. */
export const include = goFunction(["string", "any"], ([name, data], context) => {
  const { templates, included } = renderingOf(context);
  const count = included.get(name) ?? 0;
  if (count > mostNested) {
    throw new FunctionError(`rendering template has a nested reference name: ${name}: unable to execute template`);
  }
  included.set(name, count + 1);
  try {
    return templates.execute(name, data, { context });
  } finally {
    included.set(name, count);
  }
});
