import { describeError, InputError } from "#base";
import type { KubeObject } from "#kube";
import { promotionAnnotations } from "../kinds/promotion-names.ts";

/** Why the expression of a plan can have no answer for any Snapshot; undefined without one, and if that is not known. */
export async function findExpressionProblem({ metadata }: KubeObject): Promise<string | undefined> {
  const expression = metadata.annotations?.[promotionAnnotations.autoRelease] ?? "";
  if (expression.trim() === "") return undefined;
  // Loading CEL takes longer than everything else that a command loads.
  const { checkReleaseExpression } = await import("./release-expression.ts");
  try {
    checkReleaseExpression(expression);
    return undefined;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return describeExpressionProblem(error);
  }
}

export function describeExpressionProblem(error: InputError): string {
  return `annotation ${promotionAnnotations.autoRelease}: ${describeError(error)}`;
}
