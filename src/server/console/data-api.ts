import { z } from "zod";

/** What the pages of the data and the server say to each other. The pages are built with this file, so that it imports zod alone. */
const Part = z.enum(["data", "resources"]);
const FilePath = z.string().min(1).max(1_000).describe("Within its part: `/apps/a.yml`.");

export const DataQuery = z.object({
  search: z.string().max(200).optional().describe("Only files whose path, schema or name contains this, in any case."),
  schema: z.string().max(1_000).optional().describe("Only files of this schema."),
  only: z.enum(["problems"]).optional().describe("Only files with errors or warnings."),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type DataQuery = z.infer<typeof DataQuery>;

const DataFileRow = z.object({
  part: Part,
  path: FilePath,
  schema: z.string().optional(),
  name: z.string().optional().describe("Its field `name`."),
  errors: z.number(),
  warnings: z.number(),
  references: z.number().describe("To how many files it refers."),
  referrers: z.number().describe("How many files refer to it."),
});
export type DataFileRow = z.infer<typeof DataFileRow>;

export const DataAnswer = z.object({
  location: z.string(),
  commit: z.string().optional(),
  rows: z.array(DataFileRow).describe("Those with errors first, then by path."),
  total: z.number(),
  files: z.number().describe("How many there are, whatever is asked for."),
  errors: z.number(),
  warnings: z.number(),
  schemas: z.record(z.string(), z.number()).describe("How many files each schema has."),
});
export type DataAnswer = z.infer<typeof DataAnswer>;

export const DataFileQuery = z.object({ part: Part.default("data"), path: FilePath });

const DataProblem = z.object({
  severity: z.enum(["error", "warning"]),
  where: z.string().describe("`file:line:column`, as far as known."),
  line: z.number().optional(),
  what: z.string(),
  next: z.string().optional(),
  reason: z.string().optional(),
});

const DataLink = z.object({
  part: Part,
  path: z.string(),
  at: z.string().describe("The field that refers."),
  line: z.number().optional().describe("The line of the field in this file."),
  exists: z.boolean(),
});

export const DataFileAnswer = DataFileRow.extend({
  file: z.string().describe("Its name in messages."),
  text: z.string().describe("As it is written, at most 256 KiB."),
  isCut: z.boolean(),
  problems: z.array(DataProblem),
  links: z.array(DataLink).describe("The files it refers to."),
  backLinks: z.array(DataLink).describe("The files that refer to it."),
});
export type DataFileAnswer = z.infer<typeof DataFileAnswer>;

/** No directory and no option of git. */
const Ref = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._/@+-]*$/, "expected a branch, a tag or a commit");

export const DataChangesQuery = z.object({
  from: Ref.describe("A branch, a tag or a commit."),
  to: Ref.optional().describe("Default: the data as the console has it."),
});

export const DataChangesAnswer = z.object({
  rows: z
    .array(
      z.object({
        change: z.enum(["added", "removed", "changed"]),
        part: Part,
        path: z.string(),
        field: z.string(),
        old: z.string(),
        new: z.string(),
      }),
    )
    .describe("As `tenon data diff` prints them, at most 2000."),
  omitted: z.number(),
  files: z.number().describe("How many files changed."),
});
export type DataChangesAnswer = z.infer<typeof DataChangesAnswer>;
