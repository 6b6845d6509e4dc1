import { InputError } from "#base";
import { PlugTemplate } from "#template";
import type { OfferedValue } from "./merge-sources.ts";
import type { ComparedData } from "./template-data.ts";

/** One text a key, each by itself. A key whose template is one action, and finds nothing, is absent. */
export function renderTemplates(
  templates: Readonly<Record<string, string>>,
  { data, still }: ComparedData,
  where: string,
): [string, OfferedValue][] {
  return Object.entries(templates).flatMap(([key, text]): [string, OfferedValue][] => {
    if (!text.includes("{%")) return [[key, { value: text }]];
    const template = new PlugTemplate(text, { name: `${where}.${key}` });
    const { text: value, isSecret, isUnstable } = template.renderIfPresent(data);
    if (value === undefined) return [];
    return [[key, { value, isSecret, isUnstable: isUnstable || stillText(template, still) !== value }]];
  });
}

/** What is missing there may make the template fail. */
function stillText(template: PlugTemplate, still: ComparedData["still"]): string | undefined {
  try {
    return template.renderIfPresent(still).text;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
