import type { Hono } from "hono";
import { type Bundle, type BundleSource, diffBundles, diffRows } from "#bundle";
import { consoleRoutes } from "./console-api.ts";
import type { ConsoleData } from "./console-data.ts";
import { type DataChangesAnswer, DataChangesQuery, DataFileQuery, DataQuery } from "./data-api.ts";
import { DataSurvey, describeFile, queryFiles } from "./data-survey.ts";
import { requireDataRight } from "./data-right.ts";
import { type DataRoutesOptions, requireData } from "./plan-routes.ts";
import { parseInput, Refused } from "./refused.ts";

const mostChanges = 2_000;
/** A commit never changes, and people look at the same two again. */
const mostRefs = 4;

/** The data files, as `tenon data validate` and `tenon data diff` see them. */
export function addDataRoutes(app: Hono, { data, withSession }: Pick<DataRoutesOptions, "data" | "withSession">): void {
  let survey: DataSurvey | undefined;
  const atRefs = new Map<string, BundleSource>();
  const never = new AbortController().signal;

  function surveyOf(shown: ConsoleData): DataSurvey {
    survey ??= new DataSurvey(requireFiles(shown)());
    return survey;
  }

  function loadAt(shown: ConsoleData, ref: string, signal: AbortSignal): Promise<Bundle> {
    const source = atRefs.get(ref) ?? requireFiles(shown)(ref);
    atRefs.delete(ref);
    atRefs.set(ref, source);
    const [oldest] = atRefs.keys();
    if (atRefs.size > mostRefs && oldest !== undefined) atRefs.delete(oldest);
    return source.load(signal);
  }

  app.get(consoleRoutes.data.path, (context) =>
    withSession(context, async ({ person }, signal) => {
      const shown = requireData(data);
      await requireDataRight(person, signal);
      const query = parseInput(DataQuery, context.req.query());
      const surveyed = await surveyOf(shown).read(never);
      const { gitCommit } = surveyed.reading.bundle;
      return {
        location: shown.location,
        ...(gitCommit === undefined ? {} : { commit: gitCommit }),
        ...queryFiles(surveyed, query),
      };
    }),
  );

  app.get(consoleRoutes.dataFile.path, (context) =>
    withSession(context, async ({ person }, signal) => {
      const shown = requireData(data);
      await requireDataRight(person, signal);
      const { part, path } = parseInput(DataFileQuery, context.req.query());
      const found = await describeFile(await surveyOf(shown).read(never), part, path, signal);
      if (!found) throw new Refused(404, `the data has no file ${part}${path}`);
      return found;
    }),
  );

  app.get(consoleRoutes.dataChanges.path, (context) =>
    withSession(context, async ({ person }, signal) => {
      const shown = requireData(data);
      await requireDataRight(person, signal);
      const { from, to } = parseInput(DataChangesQuery, context.req.query());
      const [base, head] = await Promise.all([
        loadAt(shown, from, signal),
        to === undefined
          ? surveyOf(shown)
              .read(never)
              .then(({ reading }) => reading.bundle)
          : loadAt(shown, to, signal),
      ]);
      return changesOf(base, head);
    }),
  );
}

function requireFiles({ files }: ConsoleData): NonNullable<ConsoleData["files"]> {
  if (files) return files;
  throw new Refused(
    404,
    "the data is on a server, which answers queries and gives no files",
    "start the console with the folder or the git repository that the server reads",
  );
}

function changesOf(base: Bundle, head: Bundle): DataChangesAnswer {
  const rows = diffRows(diffBundles(base, head));
  return {
    rows: rows.slice(0, mostChanges).map(({ change, file, field, old, new: current }) => {
      const part = file.startsWith("data/") ? "data" : "resources";
      return { change, part, path: file.slice(part.length), field, old, new: current };
    }),
    omitted: Math.max(0, rows.length - mostChanges),
    files: new Set(rows.map(({ file }) => file)).size,
  };
}
