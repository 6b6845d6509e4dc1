import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensurePythonModules } from "../test/oracle/index.ts";
import { describeSpent, medianSpent, spend, type Spent } from "./measure.ts";
import { PackedCli, runProgram } from "./packed-cli.ts";

const runs = 9;
const data = join(import.meta.dirname, "..", "examples", "data");
const peer = join(import.meta.dirname, "validate-peer.py");

/**
 * `tenon data validate` of a few dozen files, as it is published, against PyYAML and jsonschema, which is what a validator in Python
 * cannot do without: whole processes, in turns.
 */
export async function measureValidate(): Promise<void> {
  const modules = await ensurePythonModules(join(import.meta.dirname, "validate-requirements.txt"));
  await using directory = await mkdtempDisposable(join(tmpdir(), "tenon-bench-validate-"));
  const cli = await PackedCli.pack(directory.path);
  const bundle = join(directory.path, "bundle.json");
  await cli.run(["data", "bundle", data, "--file", bundle]);
  const ours = () => cli.run(["data", "validate", data]);
  await ours(); // fills the compile cache
  const spent = { ours: [] as Spent[], python: [] as Spent[] };
  for (let run = 0; run < runs; run++) {
    spent.ours.push(await spend(ours));
    if (!("directory" in modules)) continue;
    const env = { PYTHONPATH: modules.directory };
    spent.python.push(await spend(() => runProgram("python3", [peer, bundle, join(data, "data")], env)));
  }
  const mine = medianSpent(spent.ours);
  console.log(`tenon data validate, 37 files: ${describeSpent(mine)} (median of ${runs})`);
  if (!("directory" in modules)) {
    console.log(`not compared with Python: ${modules.missing}\n`);
    return;
  }
  const theirs = medianSpent(spent.python);
  console.log(`PyYAML and jsonschema:         ${describeSpent(theirs)}`);
  const ratio = mine.processor / theirs.processor;
  console.log(`ratio: ${ratio.toFixed(2)} CPU, ${(mine.wall / theirs.wall).toFixed(2)} wall (bar: 1)\n`);
}
