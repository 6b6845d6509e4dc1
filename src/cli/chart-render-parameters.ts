import { InputError } from "#base";
import { isTemplate, processTemplate } from "#template";
import { toYaml } from "#golang";
import type { RenderedDocument } from "./chart-render-run.ts";

/** Replaces the OpenShift templates among the documents by the objects they hold, with parameters filled in. */
export function processParameters(
  documents: readonly RenderedDocument[],
  given: readonly string[],
): RenderedDocument[] {
  const parameters = Object.fromEntries(given.map(readParameter));
  return documents.flatMap((document) => {
    const { source, objects } = document;
    if (!objects.some(isTemplate)) return [document];
    const processed = objects.flatMap((object) =>
      isTemplate(object) ? processTemplate(object, { parameters, where: source }).objects : [object],
    );
    return processed.map((object) => ({ source, text: toYaml(object), objects: [object] }));
  });
}

function readParameter(text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new InputError(`${JSON.stringify(text)} is not NAME=value`, { where: "--param" });
}
