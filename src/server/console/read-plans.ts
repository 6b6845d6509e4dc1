import { type ConsolePlan, type PlanChangesAnswer, type PlanChangesQuery, textOfChange } from "./plan-api.ts";
import { actionsOfPage } from "./plan-answer.ts";
import { Refused } from "./refused.ts";
import type { ConsoleSession } from "./session-book.ts";

type Reader = Pick<ConsoleSession, "ended">;
type ReadPlan = Pick<ConsolePlan, "id" | "actions">;

/** Each is some megabytes; who comes back after so many others plans again. */
const mostPlans = 8;

/**
 * The last plan of each session, if it is larger than a page, so that its other pages are those of the same plan. They are kept as
 * they are shown, with values of Secrets masked.
 */
export class ReadPlans {
  readonly #plans = new Map<Reader, ReadPlan>();

  /** The plan with its first page. */
  firstPage(reader: Reader, plan: ConsolePlan): ConsolePlan {
    for (const known of this.#plans.keys()) if (known === reader || known.ended.aborted) this.#plans.delete(known);
    const { id, actions } = plan;
    if (actions.length <= actionsOfPage) return plan;
    this.#plans.set(reader, { id, actions });
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > mostPlans && oldest) this.#plans.delete(oldest);
    return { ...plan, actions: actions.slice(0, actionsOfPage) };
  }

  changes(reader: Reader, { plan, search, change, offset, limit }: PlanChangesQuery): PlanChangesAnswer {
    const read = this.#plans.get(reader);
    if (read?.id !== plan) throw new Refused(404, "this is not the plan that you read last", "plan again");
    const text = search?.toLowerCase() ?? "";
    const found = read.actions.filter(
      (action) =>
        (change === undefined || action.action === change) && (text === "" || textOfChange(action).includes(text)),
    );
    return { actions: found.slice(offset, offset + limit), total: found.length };
  }
}
