import { z } from "zod";
import { Secret } from "#base";

const texts = z.array(z.string()).default([]);

export const AccessReviewAnswer = z.object({
  status: z.object({
    allowed: z.boolean(),
    reason: z.string().default(""),
    evaluationError: z.string().default(""),
  }),
});

export const RulesReviewAnswer = z.object({
  status: z.object({
    resourceRules: z.array(z.object({ verbs: texts, apiGroups: texts, resources: texts, resourceNames: texts })),
    nonResourceRules: z.array(z.object({ verbs: texts, nonResourceURLs: texts })),
    incomplete: z.boolean(),
  }),
});

export const ReviewedUser = z.object({
  username: z.string(),
  uid: z.string().optional(),
  groups: texts,
  extra: z.record(z.string(), z.array(z.string())).default({}),
});

export const SelfSubjectReviewAnswer = z.object({ status: z.object({ userInfo: ReviewedUser }) });

export const TokenReviewAnswer = z.object({
  status: z.object({
    authenticated: z.boolean().default(false),
    audiences: texts,
    user: ReviewedUser.partial({ username: true }).default({ groups: [], extra: {} }),
  }),
});

export const TokenRequestAnswer = z.object({
  status: z.object({
    token: z.string().transform((token) => new Secret(token)),
    expirationTimestamp: z.iso.datetime({ offset: true }),
  }),
});
