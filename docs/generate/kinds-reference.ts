import { DeferredResource, Plug, plugReasons, resolvedReasons, Socket, socketReasons } from "#coupling";
import { type Kind, toReference } from "#crd";
import { EphemeralClaim, EphemeralClass, Propagation, SpaceBinding, SpaceRequest } from "#promotion";
import { code, generatedFrom, page, paragraphs, table } from "./markdown.ts";

/** The page of the custom resources, from the values that also make their definitions. */
export async function kindsReference(): Promise<string> {
  return page(
    generatedFrom("the kinds in `src/coupling/kinds/` and `src/promotion/kinds/`"),
    "# Kinds",
    "What can be written into a Plug, a Socket, a DeferredResource, a Propagation, an EphemeralClass, an EphemeralClaim, a SpaceRequest and a SpaceBinding, and what Tenon writes into their status.",
    kindSection(Plug),
    reasons("Coupled", plugReasons),
    kindSection(Socket),
    reasons("Coupled", socketReasons),
    kindSection(DeferredResource),
    reasons("Resolved", resolvedReasons),
    kindSection(Propagation),
    kindSection(EphemeralClass),
    kindSection(EphemeralClaim),
    kindSection(SpaceRequest),
    kindSection(SpaceBinding),
  );
}

/** One level below the page's own heading. */
function kindSection(kind: Kind): string {
  return toReference(kind).replace(/^#/gm, "##").trimEnd();
}

function reasons(
  type: string,
  all: Readonly<Record<string, { readonly status: string; readonly message: string }>>,
): string {
  const rows = Object.entries(all).map(([reason, { status, message }]) => [code(reason), status, message]);
  return paragraphs(`### Reasons of the condition \`${type}\``, table(["Reason", "Status", "Message"], rows));
}
