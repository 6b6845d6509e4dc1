import { z } from "zod";
import { withMark } from "./marks.ts";
import { formatted } from "./string-schema.ts";

/** `50` or `"50%"`; to restrict the string, use `z.union([z.int32(), ...])` instead. */
export function intOrString() {
  return z.union([z.int32(), z.string()]);
}

/** https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
const quantityPattern =
  /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))?$/;

/** An amount of a resource, such as `500m`, `2Gi` or `3`. */
export function quantity() {
  return z.union([z.int(), z.string().regex(quantityPattern, "expected a quantity such as 500m, 2Gi or 3")]);
}

/**
 * A duration as Go writes it, such as `1h30m`; not negative.
 * CEL sees it as a duration: `self.timeout > duration('1s')`.
 */
export function duration() {
  const text = z
    .string()
    .regex(/^(?:0|(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:ns|us|ms|s|m|h))+)$/, "expected a duration such as 30s or 1h30m");
  return withMark(text.max(64), { schema: formatted("duration") });
}

/** The name of an object, or a part of one: at most 63 characters, as RFC 1123 has them. */
export function dnsLabel() {
  return z
    .string()
    .max(63)
    .regex(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/, "expected lower-case letters, digits and inner hyphens");
}

/** Labels joined by dots: the name of most objects, a host, an API group. At most 253 characters. */
export function dnsName() {
  return z
    .string()
    .max(253)
    .regex(
      /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
      "expected lower-case letters, digits, inner hyphens and dots",
    );
}

/** An absolute http or https URL of at most 2,048 ASCII characters, without user and password. */
export function httpUrl() {
  return z
    .string()
    .max(2048)
    .regex(
      /^https?:\/\/(?:[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:[/?#](?:[-A-Za-z0-9._~!$&'()*+,;=:@/?#]|%[0-9A-Fa-f]{2})*)?$/,
      "expected a URL such as https://example.com/path",
    );
}

const EmbeddedResource = z.looseObject({
  apiVersion: z.string().regex(/^[^/\s]+(?:\/[^/\s]+)?$/),
  kind: z
    .string()
    .regex(/^[A-Za-z](?:[-A-Za-z0-9]*[A-Za-z0-9])?$/)
    .max(63),
  metadata: z.looseObject({}).optional(),
});

/** A whole object of any kind within the object. The API server checks its `apiVersion`, `kind` and `metadata`. */
export function embeddedResource() {
  return withMark(EmbeddedResource, { schema: { "x-kubernetes-embedded-resource": true } });
}
