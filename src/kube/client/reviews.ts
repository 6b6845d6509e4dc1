import type { z, ZodType } from "zod";
import type { Secret } from "#base";
import { describeRequest, type Identity, type KubeRequest } from "../transport/request.ts";
import type { Transport } from "../transport/transport.ts";
import { parseAnswer } from "./client-context.ts";
import type { KindRef } from "./object.ts";
import type * as reviewAnswers from "./review-answers.ts";

/** An action to ask about: on a resource, or on a path like `/metrics`. */
export type AccessQuestion =
  | {
      readonly verb: string;
      /** Empty for the core group. */
      readonly group?: string | undefined;
      /** The plural, or `*`. */
      readonly resource: string;
      readonly subresource?: string | undefined;
      /** Default: all namespaces. */
      readonly namespace?: string | undefined;
      /** Default: any name. */
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

/** Whether the client's own identity may do it. */
export async function reviewOwnAccess(
  { transport }: { readonly transport: Transport },
  question: AccessQuestion,
  signal?: AbortSignal,
): Promise<AccessAnswer> {
  const review = { apiVersion: group, kind: "SelfSubjectAccessReview", spec: attributesOf(question) };
  const path = `/apis/${group}/selfsubjectaccessreviews`;
  return answerOf(await postReview(transport, path, review, ({ AccessReviewAnswer }) => AccessReviewAnswer, signal));
}

/** Whether another identity may do it. Groups must be given: the API server does not look them up. */
export async function reviewAccess(
  { transport }: { readonly transport: Transport },
  { user, groups = [], uid, extra }: Identity,
  question: AccessQuestion,
  signal?: AbortSignal,
): Promise<AccessAnswer> {
  const spec = { user, groups, uid, extra, ...attributesOf(question) };
  const review = { apiVersion: group, kind: "SubjectAccessReview", spec };
  const path = `/apis/${group}/subjectaccessreviews`;
  return answerOf(await postReview(transport, path, review, ({ AccessReviewAnswer }) => AccessReviewAnswer, signal));
}

/** What the client's own identity may do in a namespace; for display only, because it may be incomplete. */
export async function listOwnRules(
  { transport }: { readonly transport: Transport },
  namespace: string,
  signal?: AbortSignal,
): Promise<AccessRules> {
  const review = { apiVersion: group, kind: "SelfSubjectRulesReview", spec: { namespace } };
  const path = `/apis/${group}/selfsubjectrulesreviews`;
  const { status } = await postReview(transport, path, review, ({ RulesReviewAnswer }) => RulesReviewAnswer, signal);
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
}: z.infer<ReviewAnswers["AccessReviewAnswer"]>): AccessAnswer {
  return { isAllowed: allowed, reason: reason || evaluationError };
}

export interface UserInfo {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review */
export async function reviewSelf(
  transport: Pick<Transport, "send" | "cluster">,
  signal?: AbortSignal,
): Promise<UserInfo> {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const kind = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const { status } = await postReview(
    transport,
    path,
    kind,
    ({ SelfSubjectReviewAnswer }) => SelfSubjectReviewAnswer,
    signal,
  );
  return userOf(status.userInfo);
}

/**
 * Who a token belongs to; undefined if it is not valid for the audience. API servers that know no audiences accept a token
 * without naming one, so the answer must name it.
 */
export async function reviewToken(
  { transport }: { readonly transport: Transport },
  token: Secret,
  audience: string,
  signal?: AbortSignal,
): Promise<UserInfo | undefined> {
  const path = "/apis/authentication.k8s.io/v1/tokenreviews";
  const spec = { token: token.reveal(), audiences: [audience] };
  const question = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec };
  const { authenticated, audiences, user } = (
    await postReview(transport, path, question, ({ TokenReviewAnswer }) => TokenReviewAnswer, signal)
  ).status;
  const { username = "" } = user;
  return authenticated && audiences.includes(audience) && username !== "" ? userOf({ ...user, username }) : undefined;
}

function userOf({ username, uid, groups, extra }: z.infer<ReviewAnswers["ReviewedUser"]>): UserInfo {
  return { user: username, groups, extra, ...(uid === undefined ? {} : { uid }) };
}

type ReviewAnswers = typeof reviewAnswers;

/**
 * Sends a review, which the API models as the creation of an object. Nothing is stored, so it may be sent twice.
 * Loads the schemas of answers only here, because zod takes half as long to load as the rest of the client.
 */
export async function postReview<Review>(
  transport: Pick<Transport, "send" | "cluster">,
  path: string,
  question: KindRef & { readonly spec?: unknown },
  schemaIn: (answers: ReviewAnswers) => ZodType<Review>,
  signal?: AbortSignal,
): Promise<Review> {
  const request: KubeRequest = { method: "POST", path, body: question, isIdempotent: true };
  const [{ body }, answers] = await Promise.all([transport.send(request, signal), import("./review-answers.ts")]);
  const read = schemaIn(answers).safeParse(parseAnswer(body, request, transport.cluster));
  if (read.success) return read.data;
  throw new Error(`${describeRequest(request)} on ${transport.cluster}: the answer is not a ${question.kind}`);
}
