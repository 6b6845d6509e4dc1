import { z } from "zod";
import type { CrdApi } from "./crd-api.ts";
import type { Answer, LiveApi } from "./live-api.ts";
import { untilServed } from "./live-crd.ts";

/** What Tenon's client throws looks like this from below. */
export class LiveRefusal extends Error {
  readonly status: number;
  readonly conflicts: readonly { readonly manager: string; readonly field: string }[];

  constructor({ status, body, message }: Answer) {
    super(message);
    this.status = status;
    const { causes } = Details.parse(body["details"] ?? {});
    this.conflicts = causes
      .filter(({ reason }) => reason === "FieldManagerConflict")
      .map((cause) => ({ manager: /"(.*?)"/.exec(cause.message)?.[1] ?? "", field: cause.field }));
  }
}

const Cause = z.object({ reason: z.string(), message: z.string(), field: z.string().default("") });
const Details = z.object({ causes: z.array(Cause).default([]) });

/** The interface of this room over a live API server, counting the writes. */
export class LiveCrdApi implements CrdApi {
  readonly #api: LiveApi;
  writes = 0;

  constructor(api: LiveApi) {
    this.#api = api;
  }

  async find({ apiVersion, name }: Parameters<CrdApi["find"]>[0]): Promise<unknown> {
    const answer = await this.#api.call("GET", `/apis/${apiVersion}/customresourcedefinitions/${name}`);
    return answer.status === 404 ? undefined : accepted(answer);
  }

  async apply(
    object: Parameters<CrdApi["apply"]>[0],
    { fieldManager, force = false }: Parameters<CrdApi["apply"]>[1],
  ): Promise<unknown> {
    this.writes++;
    const path = `/apis/${object.apiVersion}/customresourcedefinitions/${object.metadata.name}`;
    const query = `fieldManager=${fieldManager}&force=${force}&fieldValidation=Strict`;
    return accepted(await this.#api.call("PATCH", `${path}?${query}`, object));
  }

  /** The toys' plural is their kind with an s. */
  async *pages({ apiVersion, kind }: Parameters<CrdApi["pages"]>[0]): AsyncIterable<{ items: readonly unknown[] }> {
    const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`;
    await untilServed(this.#api, path);
    const body = accepted(await this.#api.call("GET", path));
    yield { items: Array.isArray(body["items"]) ? body["items"] : [] };
  }
}

function accepted(answer: Answer): Answer["body"] {
  if (answer.status >= 300) throw new LiveRefusal(answer);
  return answer.body;
}
