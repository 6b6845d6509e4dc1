import { z } from "zod";
import { ActivityAnswer, ActivityQuery } from "./activity-api.ts";
import { ClustersAnswer } from "./cluster-api.ts";
import {
  DataAnswer,
  DataChangesAnswer,
  DataChangesQuery,
  DataFileAnswer,
  DataFileQuery,
  DataQuery,
} from "./data-api.ts";
import { EnvironmentAnswer, EnvironmentQuery } from "./environment-api.ts";
import { ApplyAnswer, ApplyRequest, ConsolePlan, PlanChangesAnswer, PlanChangesQuery, PlanScope } from "./plan-api.ts";
import { ValuesAnswer } from "./values-api.ts";

/**
 * What the console's server and its pages say to each other. The pages are built with this file, so that it imports zod alone, and files like itself.
 */
export const consoleLists = [
  "integrations",
  "plugs",
  "sockets",
  "snapshots",
  "releases",
  "propagations",
  "claims",
] as const;
export const ConsoleList = z.enum(consoleLists);
export type ConsoleList = z.infer<typeof ConsoleList>;

/** The pages cannot parse dates that are not dates; the API server writes RFC 3339. */
const Time = z.string().describe("RFC 3339.");

export const ConsoleRow = z.object({
  list: ConsoleList,
  namespace: z.string(),
  name: z.string(),
  state: z.string().describe("One word, as `tenon get` prints it."),
  waitsOn: z
    .enum(["person", "tenon", "nothing"])
    .describe("Who has to do something: a person, Tenon by itself, or no one."),
  since: Time.optional().describe("Since when it is in this state."),
  waitsFor: z.string().optional(),
  next: z.string().optional().describe("What a person can do."),
  cells: z.record(z.string(), z.string()).describe("What only this list has, by the title of its column."),
});
export type ConsoleRow = z.infer<typeof ConsoleRow>;

export const sortableBy = ["urgency", "name", "namespace", "state", "since"] as const;

export const ListQuery = z.object({
  namespace: z.string().optional().describe("Only this namespace."),
  state: z.string().optional().describe("Only this state."),
  waitsOn: ConsoleRow.shape.waitsOn.optional(),
  search: z.string().max(200).optional().describe("Only rows that contain this text, in any case."),
  sort: z.enum(sortableBy).default("urgency"),
  order: z.enum(["ascending", "descending"]).default("ascending"),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type ListQuery = z.infer<typeof ListQuery>;

const Seen = z.object({
  problem: z.string().optional().describe("Why the answer may be out of date or incomplete."),
});

export const ListAnswer = Seen.extend({
  rows: z.array(ConsoleRow),
  total: z.number().describe("How many rows match."),
  states: z.record(z.string(), z.number()).describe("How many rows each state has, whatever state is asked for."),
  namespaces: z.array(z.string()).describe("The namespaces of all rows, at most 200."),
});
export type ListAnswer = z.infer<typeof ListAnswer>;

export const AttentionQuery = ListQuery.pick({ namespace: true });
export type AttentionQuery = z.infer<typeof AttentionQuery>;

export const AttentionAnswer = Seen.extend({
  owners: z
    .array(
      z.object({
        namespace: z.string(),
        rows: z.array(ConsoleRow).describe("The oldest: at most 20 of a namespace, and 250 of all."),
        counts: z.partialRecord(ConsoleList, z.number()).describe("How many there are, by list."),
      }),
    )
    .describe("Oldest first, at most 100."),
  namespaces: z.array(z.string()).describe("The namespaces in which something needs a person, at most 200."),
  omitted: z.number().describe("How many more namespaces there are."),
  total: z.number(),
  working: z.number().describe("How many objects Tenon is busy with."),
  fine: z.number(),
});
export type AttentionAnswer = z.infer<typeof AttentionAnswer>;

const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
  since: Time.optional(),
});

const ObjectEvent = z.object({
  reason: z.string(),
  message: z.string(),
  type: z.string(),
  count: z.number(),
  last: Time.optional(),
});

/** A table of an explanation, such as the values that a plug and a socket exchange. */
const Section = z.object({
  title: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.object({ cells: z.array(z.string()) })),
});

/** One step of the way from a commit to where it runs. */
const ChainStep = z.object({
  title: z.string(),
  state: z.string(),
  waitsOn: ConsoleRow.shape.waitsOn,
  since: Time.optional(),
  lines: z.array(z.string()),
  links: z.array(z.object({ text: z.string(), url: z.string() })).describe("Only http and https."),
  log: z.array(z.string()).optional().describe("The end of the log of a step that failed."),
});

export const ObjectAnswer = z.object({
  row: ConsoleRow,
  created: Time.optional(),
  conditions: z.array(Condition),
  events: z.array(ObjectEvent),
  sections: z.array(Section),
  chain: z.array(ChainStep).describe("Of a release or a snapshot."),
  related: z.array(ConsoleRow).describe("The plugs of a socket: at most 100, those that need a person first."),
  relatedTotal: z.number().describe("How many there are."),
  problems: z.array(z.string()).describe("What could not be explained, and why."),
  role: z.string().optional().describe("The Role that is missing, as YAML for `kubectl apply -f -`."),
  actions: z.array(z.enum(["retry"])).describe("What this person may do here."),
});
export type ObjectAnswer = z.infer<typeof ObjectAnswer>;

export const GraphQuery = z.object({
  namespace: z.string().optional().describe("Only this namespace, and what it is connected to."),
  unhealthy: z.enum(["true"]).optional().describe("Only what is not coupled, and the sockets it names."),
  search: z
    .string()
    .max(200)
    .optional()
    .describe("Only plugs and sockets that contain this text, and what they are connected to."),
  open: z
    .string()
    .max(4_000)
    .optional()
    .describe("Namespaces to show one by one, separated by commas; default: all of a small graph, else none."),
});
export type GraphQuery = z.infer<typeof GraphQuery>;

const GraphItem = z.object({
  id: z.string(),
  namespace: z.string(),
  name: z.string().optional().describe("Absent for a group of one state."),
  count: z.number().describe("How many it stands for."),
  state: z.string().describe("`does not exist` for a socket that plugs name and that is not there."),
  waitsOn: ConsoleRow.shape.waitsOn,
  waitsFor: z.string().optional(),
});
export type GraphItem = z.infer<typeof GraphItem>;

const GraphEdge = z.object({
  from: z.string(),
  to: z.string(),
  count: z.number(),
  kind: z.enum(["coupled", "waiting", "leaving"]),
  reason: z.string().optional().describe("Why it is not coupled."),
});
export type GraphEdge = z.infer<typeof GraphEdge>;

export const GraphAnswer = Seen.extend({
  plugs: z.array(GraphItem),
  sockets: z.array(GraphItem),
  edges: z.array(GraphEdge),
  totalPlugs: z.number().describe("How many match, in groups or not."),
  totalSockets: z.number(),
  open: z.array(z.string()).describe("The namespaces that are shown one by one."),
  namespaces: z.array(z.string()).describe("The namespaces of all plugs and sockets, at most 200."),
  hidden: z.number().describe("How many are in namespaces beyond the bound of an answer."),
});
export type GraphAnswer = z.infer<typeof GraphAnswer>;

export const GraphTextQuery = GraphQuery.omit({ open: true }).extend({
  offset: ListQuery.shape.offset,
  limit: z.coerce.number().int().min(1).max(1_000).default(500),
});

export const GraphTextAnswer = Seen.extend({
  lines: z.array(z.string()).describe("As `tenon graph` prints them."),
  total: z.number(),
});

export const SessionAnswer = z.object({
  user: z.string(),
  cluster: z.string(),
  readOnly: z.boolean(),
});
export type SessionAnswer = z.infer<typeof SessionAnswer>;

export const Login = z.union([
  z.object({ link: z.string().max(200) }).describe("The last part of the link that `tenon console` printed."),
  z.object({ token: z.string().max(16_384) }).describe("A token that the API server knows."),
]);

export const Failure = z.object({ error: z.string(), next: z.string().optional() });
export type Failure = z.infer<typeof Failure>;

export const LoginAnswer = z.object({
  provider: z.string().optional().describe("The identity provider that `/oidc/login` leads to, if there is one."),
});

export const Done = z.object({
  done: z.string(),
  goTo: z.string().optional().describe("Where the browser ends its session at the identity provider."),
});

export const ChangeEvent = z.object({
  list: ConsoleList,
  key: z.string().describe("NAMESPACE/NAME; empty if any object of the list may be concerned."),
});
export type ChangeEvent = z.infer<typeof ChangeEvent>;

export interface ConsoleRoute {
  readonly method: "get" | "post" | "delete";
  /** With parameters as hono writes them. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
}

export const consoleRoutes = {
  ways: {
    method: "get",
    path: "/api/login",
    summary: "Says how one can log in; needs no session.",
    answer: LoginAnswer,
  },
  login: {
    method: "post",
    path: "/api/session",
    summary: "Starts a session, whose cookie the other routes need.",
    body: Login,
    answer: SessionAnswer,
  },
  session: { method: "get", path: "/api/session", summary: "Says who you are.", answer: SessionAnswer },
  logout: { method: "delete", path: "/api/session", summary: "Ends the session.", answer: Done },
  attention: {
    method: "get",
    path: "/api/attention",
    summary: "What a person has to do, by namespace, oldest first.",
    query: AttentionQuery,
    answer: AttentionAnswer,
  },
  list: {
    method: "get",
    path: "/api/lists/:list",
    summary: "Rows of a list, filtered, sorted and paged.",
    query: ListQuery,
    answer: ListAnswer,
  },
  graph: {
    method: "get",
    path: "/api/graph",
    summary: "Plugs, sockets and what connects them, in groups where there are many.",
    query: GraphQuery,
    answer: GraphAnswer,
  },
  graphText: {
    method: "get",
    path: "/api/graph/text",
    summary: "The same as text, as `tenon graph` prints it.",
    query: GraphTextQuery,
    answer: GraphTextAnswer,
  },
  object: {
    method: "get",
    path: "/api/objects/:list/:namespace/:name",
    summary: "One object with its explanation.",
    answer: ObjectAnswer,
  },
  retry: {
    method: "post",
    path: "/api/objects/:list/:namespace/:name/retry",
    summary: "Retries a plug or a socket now, as `tenon couple retry` does.",
    answer: Done,
  },
  plan: {
    method: "get",
    path: "/api/plan",
    summary: "The plan of the console's data, made with your rights, as `tenon plan` makes it.",
    query: PlanScope,
    answer: ConsolePlan,
  },
  planChanges: {
    method: "get",
    path: "/api/plan/changes",
    summary: "Changes of the plan that you read last, filtered and paged, if it has more than `/api/plan` lists.",
    query: PlanChangesQuery,
    answer: PlanChangesAnswer,
  },
  apply: {
    method: "post",
    path: "/api/plan/apply",
    summary: "Starts to apply the plan that was read, as you; if the plan is another one by now, nothing is applied.",
    body: ApplyRequest,
    answer: ApplyAnswer,
  },
  applied: {
    method: "get",
    path: "/api/plan/applied/:id",
    summary: "How far a plan that you apply is, and what became of each change.",
    answer: ApplyAnswer,
  },
  environments: {
    method: "get",
    path: "/api/environments",
    summary: "Which digest of each image runs where, and since when, as `tenon get environments` has it.",
    query: EnvironmentQuery,
    answer: EnvironmentAnswer,
  },
  values: {
    method: "get",
    path: "/api/integrations/:namespace/:name/values",
    summary: "Where each value of an integration comes from, as `tenon explain` has it.",
    answer: ValuesAnswer,
  },
  clusters: {
    method: "get",
    path: "/api/clusters",
    summary: "The clusters of the data, and which of them you reach.",
    answer: ClustersAnswer,
  },
  activity: {
    method: "get",
    path: "/api/activity",
    summary: "What was applied, by whom and when, as `tenon history` has it.",
    query: ActivityQuery,
    answer: ActivityAnswer,
  },
  data: {
    method: "get",
    path: "/api/data",
    summary: "The data files and resources of the console's data, filtered and paged.",
    query: DataQuery,
    answer: DataAnswer,
  },
  dataFile: {
    method: "get",
    path: "/api/data/file",
    summary: "One file: what it refers to, what refers to it, and what is wrong with it.",
    query: DataFileQuery,
    answer: DataFileAnswer,
  },
  dataChanges: {
    method: "get",
    path: "/api/data/changes",
    summary: "What changed in the data between two refs, as `tenon data diff` has it.",
    query: DataChangesQuery,
    answer: DataChangesAnswer,
  },
  changes: {
    method: "get",
    path: "/api/changes",
    summary: "Changes as server-sent events; with Last-Event-ID, those that were missed.",
    query: z.object({ lists: z.string().describe("Names of lists, separated by commas.") }),
    answer: ChangeEvent,
  },
} as const satisfies Readonly<Record<string, ConsoleRoute>>;
