import { corpusTopics, readCorpus } from "./corpus.ts";
import { askGoldens, writeGoldens } from "./goldens.ts";
import { startOracle } from "./oracle.ts";

/** Writes Go's answers to the topics named, or to all: `node test/oracle/record.ts [topic]...` */
const named = process.argv.slice(2);
await using oracle = await startOracle();
for (const topic of named.length > 0 ? named : await corpusTopics()) {
  const cases = await readCorpus(topic);
  await writeGoldens(topic, await askGoldens(cases, oracle));
  process.stdout.write(`${topic}: ${cases.length} cases\n`);
}
