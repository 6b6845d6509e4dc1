import { globSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

interface Declaration {
  readonly type: string;
  readonly id?: { readonly name?: string };
  readonly declarations?: readonly { readonly id: { readonly name?: string } }[];
}

interface Statement {
  readonly type: string;
  readonly declaration?: Declaration | null;
}

interface RuleContext {
  readonly cwd: string;
  readonly filename: string;
  report(problem: { node: Statement | { body: Statement[] }; message: string }): void;
}

/** Where each exported name and each file name of `src/` and the console occurs. */
interface Occurrences {
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
  readonly files: ReadonlyMap<string, ReadonlySet<string>>;
}

const exported = /^export (?:declare |abstract |async )*(?:class|interface|type|function\*?|const|let) ([\w$]+)/gm;

const found = new Map<string, Occurrences>();

/** Read once a run: the linter shows a rule one file at a time. */
function occurrencesIn(root: string): Occurrences {
  const known = found.get(root);
  if (known) return known;
  const names = new Map<string, Set<string>>();
  const files = new Map<string, Set<string>>();
  for (const file of globSync("{src,console/src}/**/*.{ts,tsx}", { cwd: root })) {
    if (!isJudged(file)) continue;
    add(files, basename(file), file);
    for (const [, name = ""] of readFileSync(join(root, file), "utf8").matchAll(exported)) add(names, name, file);
  }
  const occurrences = { names, files };
  found.set(root, occurrences);
  return occurrences;
}

function add(map: Map<string, Set<string>>, key: string, file: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(file));
}

function isJudged(file: string): boolean {
  return basename(file) !== "index.ts" && !/\.test\.tsx?$/.test(file);
}

function namesOf({ declaration }: Statement): string[] {
  const ids = declaration?.declarations?.map(({ id }) => id.name) ?? [declaration?.id?.name];
  return ids.flatMap((name) => name ?? []);
}

/** One exported name has one meaning in all of `src/` and the console, and no file name occurs twice but index.ts and tests. */
export const oneMeaning = {
  create(context: RuleContext) {
    const file = relative(context.cwd, context.filename);
    const others = (places: ReadonlySet<string> | undefined) =>
      [...(places ?? [])].filter((place) => place !== file).toSorted();
    return {
      Program(program: { body: Statement[] }) {
        if (!isJudged(file)) return;
        const { names, files } = occurrencesIn(context.cwd);
        const [sameFile] = others(files.get(basename(file)));
        if (sameFile) {
          context.report({ node: program, message: `${sameFile} has the same file name; rename one of them` });
        }
        for (const node of program.body.filter(({ type }) => type === "ExportNamedDeclaration")) {
          for (const name of namesOf(node)) {
            const [other] = others(names.get(name));
            if (other)
              context.report({ node, message: `${other} also exports ${name}; give one of them another name` });
          }
        }
      },
    };
  },
};
