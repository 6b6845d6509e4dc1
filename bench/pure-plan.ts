import { isJsonObject, type JsonObject, type JsonValue } from "#base";
import { ManagedObject, planChanges, ResourceInventory } from "#inventory";
import { identity } from "./read-and-want.ts";
import { describeSpent, medianSpent, spend, type Spent } from "./spent.ts";

const count = 10_000;
const rounds = 5;

/** A plan of objects of 5 kB that are as they are wanted. */
export async function measurePurePlan(): Promise<void> {
  const bodies = Array.from({ length: count }, (_, index) => largeDeployment(index));
  const current = bodies.map((body) => {
    const live: JsonValue = JSON.parse(JSON.stringify(new ManagedObject({ ...identity, body }).annotate(new Date(0))));
    if (!isJsonObject(live)) throw new TypeError("an object stays one");
    return new ManagedObject({ ...identity, body: live });
  });
  const spent: Spent[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const inventory = new ResourceInventory();
    inventory.initialize("c", "n", "Deployment");
    for (const live of current) inventory.addCurrent("c", "n", "Deployment", live.name, live);
    spent.push(await spend(() => planAll(inventory, bodies)));
  }
  console.log(`plan of ${count} unchanged objects, with the hashes of what is wanted, median of ${rounds}:`);
  console.log(`  ours: ${describeSpent(medianSpent(spent))} (bar: 1 s CPU)\n`);
}

function planAll(inventory: ResourceInventory, bodies: readonly JsonObject[]): void {
  for (const body of bodies) {
    const value = new ManagedObject({ ...identity, body });
    inventory.addDesired({ cluster: "c", namespace: "n", kind: "Deployment", name: value.name, value });
  }
  const { actions, unchanged } = planChanges(inventory, identity);
  if (actions.length > 0 || unchanged !== count) throw new Error("the plan should be empty");
}

function largeDeployment(index: number): JsonObject {
  const labels = { app: `app-${index}`, shard: String(index % 7) };
  const env = Array.from({ length: 60 }, (_, at) => ({ name: `VARIABLE_${at}`, value: `value ${at} of ${index}` }));
  const resources = { requests: { cpu: "100m", memory: "1Gi" }, limits: { cpu: "1", memory: "2Gi" } };
  const containers = [
    { name: "main", image: "example.invalid/app:1", env, resources, args: ["--shard", String(index)] },
  ];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `app-${index}`, labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}
