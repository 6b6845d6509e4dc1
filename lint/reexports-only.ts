interface Statement {
  readonly type: string;
  readonly source?: unknown;
}

interface RuleContext {
  report(problem: { node: Statement; message: string }): void;
}

function isReexport(statement: Statement): boolean {
  if (statement.type === "ExportAllDeclaration") return true;
  return statement.type === "ExportNamedDeclaration" && Boolean(statement.source);
}

/** The index.ts of a room is its door: it names what other rooms may use, and holds no code. */
export const reexportsOnly = {
  create(context: RuleContext) {
    return {
      Program(program: { body: Statement[] }) {
        for (const node of program.body.filter((statement) => !isReexport(statement))) {
          context.report({ node, message: "a room's index.ts only re-exports; move this to a file" });
        }
      },
    };
  },
};
