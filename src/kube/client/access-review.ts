import type { z } from "zod";
import type { KubeClient } from "./client.ts";
import { postReview } from "./post-review.ts";
import type { Identity } from "../transport/request.ts";

/** Something that one may or may not be allowed to do: with a resource, or with a path like `/metrics`. */
export type AccessQuestion =
  | {
      readonly verb: string;
      /** Empty for the core group. */
      readonly group?: string | undefined;
      /** The plural, or `*`. */
      readonly resource: string;
      readonly subresource?: string | undefined;
      /** Without, in all namespaces. */
      readonly namespace?: string | undefined;
      /** Without, whatever its name. */
      readonly name?: string | undefined;
    }
  | { readonly verb: string; readonly path: string };

export interface AccessAnswer {
  readonly isAllowed: boolean;
  /** Why, when the authorizer says so. */
  readonly reason: string;
}

export interface AccessRules {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames: readonly string[];
  }[];
  readonly pathRules: readonly { readonly verbs: readonly string[]; readonly paths: readonly string[] }[];
  /** There may be more rights: not every authorizer can list what it allows. */
  readonly isIncomplete: boolean;
}

const group = "authorization.k8s.io/v1";

const AccessReview = (zod: typeof z) =>
  zod.object({
    status: zod.object({
      allowed: zod.boolean(),
      reason: zod.string().default(""),
      evaluationError: zod.string().default(""),
    }),
  });

function RulesReview(zod: typeof z) {
  const texts = zod.array(zod.string()).default([]);
  return zod.object({
    status: zod.object({
      resourceRules: zod.array(zod.object({ verbs: texts, apiGroups: texts, resources: texts, resourceNames: texts })),
      nonResourceRules: zod.array(zod.object({ verbs: texts, nonResourceURLs: texts })),
      incomplete: zod.boolean(),
    }),
  });
}

/** Whether the client's own identity may do it. */
export async function reviewOwnAccess(
  { transport }: Pick<KubeClient, "transport">,
  question: AccessQuestion,
  signal?: AbortSignal,
): Promise<AccessAnswer> {
  const review = { apiVersion: group, kind: "SelfSubjectAccessReview", spec: attributesOf(question) };
  const path = `/apis/${group}/selfsubjectaccessreviews`;
  return answerOf(await postReview(transport, path, review, AccessReview, signal));
}

/** Whether somebody else may do it. Groups count only as given: the API server does not look up whose they are. */
export async function reviewAccess(
  { transport }: Pick<KubeClient, "transport">,
  { user, groups = [], uid, extra }: Identity,
  question: AccessQuestion,
  signal?: AbortSignal,
): Promise<AccessAnswer> {
  const spec = { user, groups, uid, extra, ...attributesOf(question) };
  const review = { apiVersion: group, kind: "SubjectAccessReview", spec };
  const path = `/apis/${group}/subjectaccessreviews`;
  return answerOf(await postReview(transport, path, review, AccessReview, signal));
}

/** What the client's own identity may do in a namespace: for showing, not for deciding. */
export async function listOwnRules(
  { transport }: Pick<KubeClient, "transport">,
  namespace: string,
  signal?: AbortSignal,
): Promise<AccessRules> {
  const review = { apiVersion: group, kind: "SelfSubjectRulesReview", spec: { namespace } };
  const path = `/apis/${group}/selfsubjectrulesreviews`;
  const { status } = await postReview(transport, path, review, RulesReview, signal);
  return {
    resourceRules: status.resourceRules,
    pathRules: status.nonResourceRules.map(({ verbs, nonResourceURLs }) => ({ verbs, paths: nonResourceURLs })),
    isIncomplete: status.incomplete,
  };
}

function attributesOf(question: AccessQuestion): object {
  return "path" in question ? { nonResourceAttributes: question } : { resourceAttributes: question };
}

function answerOf({
  status: { allowed, reason, evaluationError },
}: z.infer<ReturnType<typeof AccessReview>>): AccessAnswer {
  return { isAllowed: allowed, reason: reason || evaluationError };
}
