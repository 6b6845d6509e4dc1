import {
  type ConditionContext,
  type Condition,
  type ConditionChange,
  removeCondition,
  setCondition,
} from "./conditions.ts";

type Status = Readonly<Record<string, unknown>>;

/** Changes to a status, kept apart from the status so that they can be applied again to a newer one. */
export class StatusChanges {
  readonly #fields = new Map<string, unknown>();
  readonly #conditions = new Map<string, ConditionChange | undefined>();

  get isEmpty(): boolean {
    return this.#fields.size === 0 && this.#conditions.size === 0;
  }

  setFields(fields: Status): void {
    for (const [name, value] of Object.entries(fields)) this.#fields.set(name, value);
  }

  setCondition(change: ConditionChange): void {
    this.#conditions.set(change.type, change);
  }

  removeCondition(type: string): void {
    this.#conditions.set(type, undefined);
  }

  applyTo(status: Status, context: ConditionContext): Status {
    let conditions = readConditions(status.conditions);
    for (const [type, change] of this.#conditions) {
      conditions = change ? setCondition(conditions, change, context) : removeCondition(conditions, type);
    }
    const { generation } = context;
    return {
      ...status,
      ...Object.fromEntries(this.#fields),
      ...(this.#conditions.size === 0 ? {} : { conditions }),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
  }
}

/** Conditions that others wrote are kept as they are. */
function readConditions(value: unknown): readonly Condition[] {
  return Array.isArray(value) ? value.filter(isCondition) : [];
}

function isCondition(value: unknown): value is Condition {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
