import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql/language";
import { getNamedType, type GraphQLNamedType, type GraphQLSchema, isCompositeType } from "graphql/type";

/**
 * Whether an answer can contain an object without fields: one that matched no fragment, or whose fields were all skipped.
 * Answers to other queries need not be searched for them.
 */
export function mayHoldEmptyObjects(document: DocumentNode, schema: GraphQLSchema): boolean {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }

  /** Whether every object of the type gets a field from this selection. */
  function fills({ selections }: SelectionSetNode, type: GraphQLNamedType): boolean {
    return selections.some((selection) => {
      if (selection.directives !== undefined && selection.directives.length > 0) return false;
      if (selection.kind === Kind.FIELD) return true;
      const fragment = fragmentOf(selection);
      const condition = fragment?.typeCondition?.name.value ?? type.name;
      return fragment !== undefined && condition === type.name && fills(fragment.selectionSet, type);
    });
  }

  function fragmentOf(selection: Exclude<SelectionNode, { kind: typeof Kind.FIELD }>) {
    return selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
  }

  /** Whether an object somewhere below may be empty. */
  function mayLeaveEmpty({ selections }: SelectionSetNode, type: GraphQLNamedType): boolean {
    return selections.some((selection) => {
      if (selection.kind === Kind.FIELD) {
        const field = isCompositeType(type) ? schema.getField(type, selection.name.value) : undefined;
        if (field === undefined || selection.selectionSet === undefined) return false;
        const inner = getNamedType(field.type);
        return !fills(selection.selectionSet, inner) || mayLeaveEmpty(selection.selectionSet, inner);
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : undefined;
      if (fragment === undefined) return false; // its definition is checked below
      const condition = fragment.typeCondition?.name.value;
      return mayLeaveEmpty(fragment.selectionSet, (condition === undefined ? type : schema.getType(condition)) ?? type);
    });
  }

  return document.definitions.some((definition) => {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      const root = schema.getRootType(definition.operation);
      return root !== undefined && root !== null && mayLeaveEmpty(definition.selectionSet, root);
    }
    if (definition.kind !== Kind.FRAGMENT_DEFINITION) return false;
    const type = schema.getType(definition.typeCondition.name.value);
    return type !== undefined && mayLeaveEmpty(definition.selectionSet, type);
  });
}

/** Removes empty objects from all lists, in place. An empty object that is the value of a field stays. */
export function pruneEmptyObjects(value: unknown): void {
  if (isObject(value)) {
    for (const key in value) pruneEmptyObjects(value[key]);
    return;
  }
  if (!Array.isArray(value)) return;
  let kept = 0;
  for (const item of value) {
    if (isEmptyObject(item)) continue;
    pruneEmptyObjects(item);
    value[kept++] = item;
  }
  value.length = kept;
}

function isEmptyObject(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const _ in value) return false;
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
