import { Plug, plugReasons, Socket, socketReasons } from "#coupling";
import { type Kind, toReference } from "#crd";
import { code, generatedFrom, page, paragraphs, table } from "./markdown.ts";

/** The page of the custom resources, from the values that also make their definitions. */
export async function kindsReference(): Promise<string> {
  return page(
    generatedFrom("the kinds in `src/coupling/kinds/`"),
    "# Kinds",
    "What can be written into a Plug and a Socket, and what Tenon writes into their status.",
    kindSection(Plug),
    reasons(plugReasons),
    kindSection(Socket),
    reasons(socketReasons),
  );
}

/** One level below the page's own heading. */
function kindSection(kind: Kind): string {
  return toReference(kind).replace(/^#/gm, "##").trimEnd();
}

function reasons(all: Readonly<Record<string, { readonly status: string; readonly message: string }>>): string {
  const rows = Object.entries(all).map(([reason, { status, message }]) => [code(reason), status, message]);
  return paragraphs("### Reasons of the condition `Coupled`", table(["Reason", "Status", "Message"], rows));
}
