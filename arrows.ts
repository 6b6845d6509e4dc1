/**
 * The rooms of `src/`, lowest first. A room may import the rooms of the layers below its own and nothing else of ours;
 * rooms of one layer never import each other. The linter reads this list; so does the reader.
 */
export const layers: readonly (readonly string[])[] = [
  ["base"],
  ["yaml"],
  ["golang"],
  ["apparatus", "cluster", "forge", "git", "kube", "oci", "template"],
  ["crd"],
  ["bundle", "inventory", "runtime"],
  ["addons", "coupling", "integrations", "promotion"],
  ["server"],
  ["cli"],
];

/** What tests may import besides: the folders of `test/` that give them their world. */
export const testRooms: readonly string[] = ["faults", "gitea", "harness", "oracle", "registry", "seeded", "tekton"];

/** The rooms that files of `room` may import. */
export function roomsBelow(room: string): string[] {
  const layer = layers.findIndex((rooms) => rooms.includes(room));
  return layers.slice(0, layer).flat();
}
