import type { Plugin, Rule } from "oxlint/plugins-dev";

/** The index.ts of a room is its door: it names what other rooms may use, and holds no code. */
const reexportsOnly: Rule = {
  create(context) {
    return {
      Program(program) {
        for (const statement of program.body) {
          const isReexport =
            statement.type === "ExportAllDeclaration" ||
            (statement.type === "ExportNamedDeclaration" && statement.source !== null);
          if (!isReexport) {
            context.report({ node: statement, message: "a room's index.ts only re-exports; move this to a file" });
          }
        }
      },
    };
  },
};

const plugin: Plugin = { meta: { name: "tenon" }, rules: { "reexports-only": reexportsOnly } };
export default plugin;
