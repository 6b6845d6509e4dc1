import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { testKubeconfig, useCoupling } from "#harness";
import { listContexts } from "#kube";
import { completeLine, type ShellName } from "./complete-line.ts";

const checkout = join(import.meta.dirname, "..", "..");
const world = useCoupling();
let context = "";

beforeAll(async () => {
  await world.apply(world.socket("postgres", {}), world.plug("orders", { socket: { name: "postgres" } }));
  [context = ""] = await listContexts({ env: { KUBECONFIG: testKubeconfig() } });
});

const cases: readonly { readonly what: string; readonly line: () => string; readonly completed: () => string }[] = [
  { what: "a command", line: () => "tenon compl", completed: () => "tenon completion" },
  { what: "an option", line: () => "tenon cluster status --outp", completed: () => "tenon cluster status --output" },
  { what: "a kind", line: () => "tenon get deferr", completed: () => "tenon get deferredresources" },
  { what: "a file", line: () => "tenon apply a-pl", completed: () => "tenon apply a-plan.json" },
  {
    what: "a context",
    line: () => `tenon graph --context ${context.slice(0, -2)}`,
    completed: () => `tenon graph --context ${context}`,
  },
  {
    what: "an instance",
    line: () => "tenon graph --instance al",
    completed: () => "tenon graph --instance alpha",
  },
  {
    what: "an integration",
    line: () => "tenon get integrations pri",
    completed: () => "tenon get integrations price-feed",
  },
  {
    what: "a plug",
    line: () => `tenon explain plug/${world.app}/ord`,
    completed: () => `tenon explain plug/${world.app}/orders`,
  },
  {
    what: "a socket",
    line: () => `tenon couple retry socket/${world.prov}/pos`,
    completed: () => `tenon couple retry socket/${world.prov}/postgres`,
  },
];

const shells: readonly ShellName[] = ["bash", "zsh", "fish"];

describe.for(shells)("%s", (shell) => {
  test.for(cases)(`${shell} completes $what`, async ({ line, completed }) => {
    await using home = await mkdtempDisposable(join(tmpdir(), "tenon-completion-"));
    const instance = join(home.path, ".local", "share", "tenon", "clusters", "alpha");
    await mkdir(instance, { recursive: true });
    await writeFile(join(instance, "instance.json"), '{"kubernetes":"v1.37.1","port":1,"fakeNodes":0}');
    await writeFile(join(home.path, "a-plan.json"), "{}");
    await writeFile(join(home.path, "tenon.yaml"), `data: ${join(checkout, "examples", "data")}\n`);
    const env = {
      HOME: home.path,
      PATH: `${join(checkout, "bin")}:${process.env["PATH"]}`,
      KUBECONFIG: testKubeconfig(),
      LANG: "C.UTF-8",
    };
    // A cluster that answers late offers no names: a person presses Tab again.
    await expect.poll(() => completeLine(shell, line(), env, home.path)).toBe(completed());
  });
});
