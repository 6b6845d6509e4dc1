import type { Context, Hono } from "hono";
import { type Clock, type Logger, Semaphore } from "#base";
import { ApplyRun } from "./apply-run.ts";
import { consoleRoutes } from "./console-api.ts";
import type { ConsoleData } from "./console-data.ts";
import { requireDataRight } from "./data-right.ts";
import { planAs } from "./own-plan.ts";
import { ApplyRequest, PlanChangesQuery, PlanScope } from "./plan-api.ts";
import { planAnswer } from "./plan-answer.ts";
import { ReadPlans } from "./read-plans.ts";
import { parseInput, Refused } from "./refused.ts";
import type { ConsoleSession } from "./session-book.ts";

export type WithSession = (
  context: Context,
  work: (session: ConsoleSession, signal: AbortSignal) => Promise<unknown>,
) => Promise<Response>;

export interface DataRoutesOptions {
  readonly data: ConsoleData | undefined;
  readonly withSession: WithSession;
  readonly isReadOnly: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A plan reads all clusters and renders all charts. */
const plansAtOnce = 2;

/** The plan of the console's data, and its application, as the person of the session. */
export function addPlanRoutes(app: Hono, options: DataRoutesOptions): void {
  const { withSession, isReadOnly, clock, log } = options;
  const places = new Semaphore(plansAtOnce);
  const warn = (what: string): void => log.warn("console: a plan has a problem", { what });
  const read = new ReadPlans();
  const runs = new WeakMap<ConsoleSession["person"], ApplyRun>();

  app.get(consoleRoutes.plan.path, (context) =>
    withSession(context, async (session, signal) => {
      const { person } = session;
      const data = requireData(options.data);
      await requireDataRight(person, signal);
      const scope = parseInput(PlanScope, context.req.query());
      return await places.run(async () => {
        await using own = await planAs(person, data, scope, warn, signal);
        const { planned, warnings } = own;
        const whyNot = isReadOnly ? "this console is read-only" : own.whyNot;
        const answer = planAnswer(planned, {
          data: data.location,
          warnings,
          ...(own.data.commit === undefined ? {} : { commit: own.data.commit }),
          ...(whyNot === undefined ? {} : { whyNot }),
        });
        return read.firstPage(session, answer);
      }, signal);
    }),
  );

  app.get(consoleRoutes.planChanges.path, (context) =>
    withSession(context, async (session, signal) => {
      await requireDataRight(session.person, signal);
      return read.changes(session, parseInput(PlanChangesQuery, context.req.query()));
    }),
  );

  app.post(consoleRoutes.apply.path, (context) =>
    withSession(context, async ({ person, ended }, signal) => {
      if (isReadOnly) throw new Refused(403, "this console is read-only");
      const data = requireData(options.data);
      await requireDataRight(person, signal);
      const request = parseInput(ApplyRequest, await context.req.json().catch(() => undefined));
      const { user } = await person.identify(signal);
      if (runs.get(person)?.isOver === false)
        throw new Refused(409, "you are applying a plan already", "wait for its end");
      const run = new ApplyRun({ person, user, data, request, clock, log }, ended);
      runs.set(person, run);
      return run.answer();
    }),
  );

  app.get(consoleRoutes.applied.path, (context) =>
    withSession(context, async ({ person }) => {
      const run = runs.get(person);
      if (run?.id === context.req.param("id")) return run.answer();
      throw new Refused(404, "you did not apply such a plan", "`tenon history` lists what was applied");
    }),
  );
}

export function requireData(data: ConsoleData | undefined): ConsoleData {
  if (data) return data;
  throw new Refused(
    404,
    "this console has no data",
    "start it with `tenon console --data FOLDER`, or beside a tenon.yaml that names the data",
  );
}
