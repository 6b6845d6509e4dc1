import type { DescribedTypes } from "../facts/described-type.ts";
import type { TypeDescription } from "../type-description.ts";
import type { BundleFinding, FindingReason } from "./bundle-finding.ts";

/** What is wrong with the GraphQL description, beyond what makes it unusable. */
export function checkDescription(types: readonly TypeDescription[], nodes: DescribedTypes): BundleFinding[] {
  const findings: BundleFinding[] = [];
  for (const type of types) {
    for (const field of type.fields) {
      if (!field.isUnique) continue;
      const at = [type.name, field.name];
      const add = (reason: FindingReason, what: string, next: string): void => {
        findings.push({
          part: "description",
          path: "/graphql-schemas/schema.yml",
          kind: "SCHEMA",
          reason,
          what,
          next,
          at,
        });
      };
      if (!nodes.named(type.name)?.isTopLevel) {
        const what = `${type.name}.${field.name} is unique, and ${type.name} is not the type of data files`;
        add("IS_UNIQUE_ON_NON_TOP_LEVEL_TYPE", what, `add datafile to ${type.name}, or use isContextUnique`);
      }
      if (nodes.named(field.type)) {
        const what = `${type.name}.${field.name} is unique, and its type ${field.type} is no simple one`;
        add("IS_UNIQUE_ON_COMPLEX_FIELD", what, "use isContextUnique, or make a simple field unique");
      }
    }
  }
  return findings;
}
