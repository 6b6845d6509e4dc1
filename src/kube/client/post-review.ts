import type { ZodType, z } from "zod";
import { parseAnswer } from "./client-context.ts";
import type { KindRef } from "./object.ts";
import { describeRequest, type KubeRequest } from "../transport/request.ts";
import type { Transport } from "../transport/transport.ts";

/**
 * Asks a question that the API takes as the creation of an object; nothing is kept, so it may be asked twice.
 * Loads zod when it is needed: it is half of what the rest of a client weighs.
 */
export async function postReview<Review>(
  transport: Pick<Transport, "send" | "cluster">,
  path: string,
  question: KindRef & { readonly spec?: unknown },
  schema: (zod: typeof z) => ZodType<Review>,
  signal?: AbortSignal,
): Promise<Review> {
  const request: KubeRequest = { method: "POST", path, body: question, isIdempotent: true };
  const [{ body }, zod] = await Promise.all([transport.send(request, signal), import("zod")]);
  const read = schema(zod.z).safeParse(parseAnswer(body, request, transport.cluster));
  if (read.success) return read.data;
  throw new Error(`${describeRequest(request)} on ${transport.cluster}: the answer is not a ${question.kind}`);
}
