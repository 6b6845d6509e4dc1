import type { z } from "zod";
import { postReview } from "./post-review.ts";
import type { Transport } from "../transport/transport.ts";

export interface UserInfo {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

const SelfSubjectReview = (zod: typeof z) =>
  zod.object({
    status: zod.object({
      userInfo: zod.object({
        username: zod.string(),
        uid: zod.string().optional(),
        groups: zod.array(zod.string()).default([]),
        extra: zod.record(zod.string(), zod.array(zod.string())).default({}),
      }),
    }),
  });

/** https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review */
export async function reviewSelf(
  transport: Pick<Transport, "send" | "cluster">,
  signal?: AbortSignal,
): Promise<UserInfo> {
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const kind = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const { status } = await postReview(transport, path, kind, SelfSubjectReview, signal);
  const { username, uid, groups, extra } = status.userInfo;
  return { user: username, groups, extra, ...(uid === undefined ? {} : { uid }) };
}
