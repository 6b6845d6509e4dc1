import { expect, test } from "vitest";
import { configMapTemplate, useCoupling } from "#harness";
import { useTenant } from "./hostile/use-tenant.ts";

const world = useCoupling();
const tenant = useTenant(world, "bomber");

const many = (template: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, template]));
/** Each keeps its own bounds: a few milliseconds, and a little less than a megabyte. */
const slow = '{% range until 5000 %}{% $_ := sha256sum "x" %}{% end %}x';
const long = '{% repeat 1000000 "x" %}';
const laughs = [
  "a: &a [x,x,x,x,x,x,x,x,x,x]",
  ..."bcdefgh"
    .split("")
    .map((name, index) => `${name}: &${name} [${Array(10).fill(`*${"abcdefgh"[index]}`).join(",")}]`),
].join("\n");
const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\n";

test("F-17: every template bomb in a plug is refused with its field, and other plugs couple meanwhile", async () => {
  const cases = [
    {
      name: "loop",
      spec: { configTemplate: { a: "{% range $i := 9223372036854775807 %}x{% end %}" } },
      says: /configTemplate\.a.*steps/,
    },
    {
      name: "slow",
      spec: { configTemplate: many(slow, 3000) },
      says: /configTemplate\.k\d+: the templates before this one already take more than 2000000 steps/,
    },
    {
      name: "long",
      spec: { resultTemplate: many(long, 400) },
      says: /resultTemplate\.k\d+: the templates before this one already write more than/,
    },
    {
      name: "object",
      spec: { resources: [{ template: configMapTemplate("bomb", many(slow, 3000)) }] },
      says: /spec\.resources\[0\]\.template.*(takes more|makes more|already)/,
    },
    {
      name: "objects",
      spec: { resources: [{ templates: Array.from({ length: 900 }, () => configMapTemplate("bomb", many(slow, 1))) }] },
      says: /spec\.resources\[0\]\.templates\[\d+\].*already take more than/,
    },
    {
      name: "laughs",
      spec: { resources: [{ stringTemplate: `${object}data:\n${laughs.replaceAll(/^/gm, "  ")}\n` }] },
      says: /spec\.resources\[0\]\.stringTemplate.*not valid YAML/,
    },
    {
      name: "names",
      spec: {
        vars: Array.from({ length: 900 }, (_, index) => ({
          name: `v${index}`,
          objref: { version: "v1", kind: "ConfigMap", templateName: slow },
        })),
      },
      says: /spec\.vars\[\d+\]\.objref\.templateName.*already take more than/,
    },
    {
      name: "deep",
      spec: { resources: [{ stringTemplate: `${object}data: {% repeat 100000 "[" %}` }] },
      says: /spec\.resources\[0\]\.stringTemplate.*not valid YAML/,
    },
  ];
  await world.apply(world.socket("shared", {}));
  const socket = { name: "shared", namespace: world.prov };
  for (const { name, spec } of cases) await tenant.create(tenant.plug(`bomb-${name}`, { socket, ...spec }));
  const neighbours = Array.from({ length: 10 }, (_, index) => `neighbour-${index}`);
  const resources = [{ template: configMapTemplate("made-{% .plug.metadata.name %}") }];
  await world.apply(...neighbours.map((name) => world.plug(name, { socket, resources })));
  await Promise.all(neighbours.map((name) => world.waitUntilCoupled(name)));
  for (const { name, says } of cases) expect(await tenant.refusal(`bomb-${name}`)).toMatch(says);
  expect(await world.client.find(tenant.ref("ConfigMap", "bomb"))).toBe(undefined);
});
