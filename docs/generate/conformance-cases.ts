/** A family of cases: promises about one subject, numbered. */
export interface CaseFamily {
  readonly title: string;
  /** What the promises are about, for readers who know the neighbouring tools and not our specifications. */
  readonly about: string;
  readonly ids: readonly string[];
}

/** Every case of the specifications, tested or not. A test that names another id is an error. */
export const caseFamilies: readonly CaseFamily[] = [
  {
    title: "Manage: the data",
    about:
      "How data files, resources, schemas and GraphQL queries are read and served, as qontract-server and qontract-validator do it.",
    ids: numbered("A-", 1, 31),
  },
  {
    title: "Manage: rendering",
    about: "How an integration in the data becomes Helm values, parameters and objects.",
    ids: numbered("B-", 1, 40),
  },
  {
    title: "Manage: sharding",
    about: "How one integration is split into shards, and which arguments and names the shards get.",
    ids: numbered("C-", 1, 19),
  },
  {
    title: "Manage: objects on clusters",
    about: "How desired objects are compared with live ones, and who owns what.",
    ids: numbered("D-", 1, 53),
  },
  {
    title: "Manage: runs",
    about: "How a run is started, configured, logged and measured, and what its exit code says.",
    ids: numbered("E-", 1, 24),
  },
  {
    title: "Manage: hashes",
    about: "The hash that qontract-reconcile stamps on objects, byte for byte, so that taking over is an empty plan.",
    ids: numbered("G1-", 1, 17, 2),
  },
  {
    title: "Manage: parameters and images",
    about: "Where the values of template parameters and the image come from.",
    ids: numbered("G3-", 1, 16, 2),
  },
  { title: "Manage: shards", about: "Sharding, by examples with exact outcomes.", ids: numbered("G4-", 1, 16, 2) },
  {
    title: "Manage: names",
    about: "Names of objects, by examples with exact outcomes.",
    ids: numbered("G5-", 1, 6, 2),
  },
  {
    title: "Manage: comparison",
    about: "When two objects count as equal, by examples.",
    ids: numbered("G6-", 1, 16, 2),
  },
  {
    title: "Manage: ownership and realisation",
    about: "Which objects a run creates, changes, replaces, deletes or leaves alone, by examples.",
    ids: numbered("G7-", 1, 19, 2),
  },
  {
    title: "Manage: whole runs",
    about: "Runs from data files to clusters, by examples.",
    ids: numbered("G8-", 1, 15, 2),
  },
  {
    title: "Manage: bundle and server",
    about: "Bundles, queries and the data server, by examples.",
    ids: numbered("G9-", 1, 14, 2),
  },
  {
    title: "Couple: rulings on the seed",
    about: "Where the documents about Plugs and Sockets disagree with integration-operator, what Tenon does.",
    ids: numbered("X", 1, 24),
  },
  {
    title: "Couple: templates",
    about: "Templates in Plugs and Sockets: values, bounds and quoting.",
    ids: ["C.5", "D.1", "D.2"],
  },
  {
    title: "Couple: coupling and status",
    about: "What happens when a Plug meets its Socket, and what their status says.",
    ids: numbered("H", 1, 7, 2),
  },
  {
    title: "Couple: interface",
    about: "What an interface requires of the configs, and how a mismatch is reported.",
    ids: numbered("H", 10, 17, 2),
  },
  {
    title: "Couple: sources and precedence",
    about: "Where config, data and results come from, and which source wins.",
    ids: numbered("H", 20, 27, 2),
  },
  { title: "Couple: vars", about: "Values read from other objects of the cluster.", ids: numbered("H", 30, 36, 2) },
  {
    title: "Couple: resources",
    about: "Objects that are made for a pair: when, as whom, and how they end.",
    ids: numbered("H", 40, 57, 2),
  },
  {
    title: "Couple: lifecycle",
    about: "Changes, moves, deletion, limits, restarts and kills.",
    ids: numbered("H", 60, 74, 2),
  },
  {
    title: "Couple: apparatus",
    about: "Pods that Plugs and Sockets bring along, and the calls to them.",
    ids: numbered("H", 80, 89, 2),
  },
  {
    title: "Couple: hostile tenants",
    about: "What a tenant cannot do to others or to Tenon.",
    ids: ["F-01", "F-02", ...numbered("F-", 8, 14, 2), "F-17"],
  },
  {
    title: "Couple: scale",
    about: "Figures of the specification; they are benchmarks, not tests.",
    ids: numbered("H", 95, 99, 2),
  },
  {
    title: "Promote: builds and Snapshots",
    about: "How a finished build enters the candidate list and becomes a Snapshot.",
    ids: numbered("P", 1, 17),
  },
  {
    title: "Promote: tests",
    about: "Which scenarios test a Snapshot, as what, and what their results mean.",
    ids: numbered("P", 18, 28),
  },
  {
    title: "Promote: releases",
    about: "Which Snapshots are released by which plans, who answers for it, and what runs.",
    ids: numbered("P", 29, 40),
  },
  {
    title: "Promote: re-tagging",
    about: "How a released image gets its tags, in its own repository and in others.",
    ids: numbered("P", 41, 45),
  },
  {
    title: "Promote: propagation",
    about: "How a released image gets into GitOps repositories, by pull requests.",
    ids: numbered("P", 46, 53),
  },
  {
    title: "Promote: ephemeral environments",
    about: "How a test gets an environment of its own, what it may do there, and that it ends whatever happens.",
    ids: [...numbered("P", 54, 56), ...numbered("P", 66, 68)],
  },
  {
    title: "Promote: the whole",
    about: "What the decision to decouple deployment asks for besides, at scale and part by part.",
    ids: [...numbered("P", 57, 58), ...numbered("P", 60, 65), ...numbered("P", 69, 70)],
  },
];

function numbered(prefix: string, first: number, last: number, digits = 1): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => prefix + String(first + index).padStart(digits, "0"));
}
