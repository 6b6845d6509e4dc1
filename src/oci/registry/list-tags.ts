import { z } from "zod";
import { RegistryError } from "./registry-error.ts";
import type { RepositoryClient } from "./repository-client.ts";

const TagList = z.looseObject({ tags: z.array(z.string()).nullable().optional() });

const pageSize = 1000;
const largestPage = 32 * 2 ** 20;

/** A page of a repository's tags. */
export interface TagPage {
  readonly tags: readonly string[];
  /** Whether there are more. */
  readonly isLast: boolean;
}

/**
 * The first page of tags; undefined if the registry has no such repository or does not list its tags. Large repositories have
 * hundreds of pages: callers that want to know about a few tags ask for those instead.
 */
export async function listTags(client: RepositoryClient, signal: AbortSignal): Promise<TagPage | undefined> {
  const { status, headers, body } = await client.send(
    {
      method: "GET",
      at: "tags/list",
      query: { n: `${pageSize}` },
      accepts: [200, 401, 403, 404, 405],
      largestBody: largestPage,
    },
    signal,
  );
  if (status !== 200) return undefined;
  const { tags } = parsePage(body, client.describe());
  return { tags: tags ?? [], isLast: headers["link"] === undefined && (tags ?? []).length < pageSize };
}

function parsePage(body: Buffer, where: string): z.infer<typeof TagList> {
  try {
    return TagList.parse(JSON.parse(body.toString()));
  } catch (cause) {
    throw new RegistryError(`${where}: the list of tags cannot be read`, { cause });
  }
}
