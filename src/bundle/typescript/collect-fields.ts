import { type DirectiveNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from "graphql/language";
import { type GraphQLObjectType, type GraphQLSchema, isAbstractType } from "graphql/type";

/** A selected field. */
export interface SelectedField {
  readonly name: string;
  /** All selections of this field; together they define its content. */
  readonly selectionSets: readonly SelectionSetNode[];
  /** All of its selections are under `@skip` or `@include`, so it may be missing. */
  readonly isOptional: boolean;
}

/** The schema and the fragments of a document. */
export interface Fragments {
  readonly schema: GraphQLSchema;
  readonly definitions: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** The fields that the selections, including fragments, give to an object of this type, in order. */
export function collectFields(
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
): ReadonlyMap<string, SelectedField> {
  const fields = new Map<string, SelectedField>();

  function add(responseName: string, field: SelectedField): void {
    const known = fields.get(responseName);
    fields.set(responseName, {
      name: field.name,
      selectionSets: [...(known?.selectionSets ?? []), ...field.selectionSets],
      isOptional: field.isOptional && (known?.isOptional ?? true),
    });
  }

  function visit({ selections }: SelectionSetNode, isOutside: boolean): void {
    for (const selection of selections) {
      const isOptional = isOutside || isConditional(selection.directives);
      if (selection.kind === Kind.FIELD) {
        const { name, alias, selectionSet } = selection;
        const selectionSetsOfField = selectionSet === undefined ? [] : [selectionSet];
        add((alias ?? name).value, { name: name.value, selectionSets: selectionSetsOfField, isOptional });
        continue;
      }
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.definitions.get(selection.name.value);
      if (fragment !== undefined && applies(fragment.typeCondition?.name.value, type, fragments.schema)) {
        visit(fragment.selectionSet, isOptional);
      }
    }
  }

  for (const selectionSet of selectionSets) visit(selectionSet, false);
  return fields;
}

function applies(condition: string | undefined, type: GraphQLObjectType, schema: GraphQLSchema): boolean {
  if (condition === undefined || condition === type.name) return true;
  const conditionType = schema.getType(condition);
  return isAbstractType(conditionType) && schema.isSubType(conditionType, type);
}

function isConditional(directives: readonly DirectiveNode[] | undefined): boolean {
  return directives?.some(({ name }) => name.value === "skip" || name.value === "include") ?? false;
}
