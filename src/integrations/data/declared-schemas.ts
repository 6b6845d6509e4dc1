import { InputError, isJsonList, isJsonObject, type JsonValue } from "#base";
import { type Queryable, type QueryAnswer, QueryFailure } from "#bundle";
import { managerIdentity } from "../manager-defaults.ts";

const { integration: ourName } = managerIdentity;
const document = `query DeclaredSchemas { managers: integrations_v1(filter: {name: "${ourName}"}) { schemas } }`;

/**
 * The data, as far as the manager's own file says that it reads it. What reads more than it says is not run when that changes:
 * a pull request runs the checks of integrations that list a schema it touches. Without a file or a list, all may be read.
 */
export async function withinDeclaredSchemas<Data extends Queryable>(data: Data, signal: AbortSignal): Promise<Data> {
  const declared = declaredIn(await data.query(document, {}, signal), data.identity);
  if (!declared) return data;
  return {
    ...data,
    async query(...request) {
      const answer = await data.query(...request);
      const undeclared = textsIn(answer.extensions?.["schemas"]).filter((schema) => !declared.has(schema));
      if (undeclared.length === 0) return answer;
      throw new InputError(`${ourName} reads files of ${undeclared.join(", ")}, which its schemas do not list`, {
        where: `bundle ${data.identity}`,
        next: `add them to the schemas of ${ourName}, or remove the list`,
      });
    },
  };
}

function declaredIn(answer: QueryAnswer, identity: string): ReadonlySet<string> | undefined {
  // Refused before anything was looked up: this server knows no such lists.
  if (!answer.data) return undefined;
  if (answer.errors) throw new QueryFailure(`bundle ${identity}, query DeclaredSchemas`, answer);
  const { managers } = answer.data;
  const schemas = (isJsonList(managers) ? managers : []).flatMap((manager) =>
    isJsonObject(manager) ? textsIn(manager["schemas"]) : [],
  );
  return schemas.length > 0 ? new Set(schemas) : undefined;
}

function textsIn(value: JsonValue | undefined): string[] {
  return isJsonList(value) ? value.filter((item) => typeof item === "string") : [];
}
