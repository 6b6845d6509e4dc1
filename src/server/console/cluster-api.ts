import { z } from "zod";

/** What the page of the clusters and the server say to each other. The pages are built with this file, so that it imports zod alone. */
const ConsoleCluster = z.object({
  name: z.string(),
  endpoint: z.string().describe("The API server, or how Tenon reaches it."),
  state: z.enum(["Reachable", "Unreachable", "LeftOut"]),
  waitsOn: z.enum(["person", "tenon", "nothing"]),
  why: z.string().optional(),
  next: z.string().optional(),
  version: z.string().optional().describe("Of Kubernetes."),
  namespaces: z.number().describe("In how many of its namespaces integrations of the data run."),
  integrations: z.number().describe("How many integrations of the data run there."),
});
export type ConsoleCluster = z.infer<typeof ConsoleCluster>;

export const ClustersAnswer = z.object({
  clusters: z.array(ConsoleCluster).describe("Those that need a person first, then by name."),
  problem: z.string().optional().describe("Why the clusters of the data are not among them."),
  next: z.string().optional(),
});
export type ClustersAnswer = z.infer<typeof ClustersAnswer>;
