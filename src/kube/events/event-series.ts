import type { Redact } from "#base";
import { type KubeObject, microTime, type NewObject } from "../client/object.ts";

/** Something that happened to an object, as `kubectl describe` shows it. */
export interface ObjectEvent {
  readonly type: "Normal" | "Warning";
  /** One word in CamelCase, for machines. */
  readonly reason: string;
  /** A sentence for people. Secrets are masked, and it is cut at 1 kB. */
  readonly message: string;
  /** What was done, in CamelCase; default: the reason. */
  readonly action?: string | undefined;
  /** A second object that is involved. */
  readonly related?: EventSubject | undefined;
}

export interface Reporter {
  /** A qualified name, like `tenon.dev/manage`. */
  readonly controller: string;
  /** The replica, such as the name of the pod. */
  readonly instance: string;
}

/** The fields that identify an object. */
export type EventSubject = Pick<KubeObject, "apiVersion" | "kind"> & {
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly name: string;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
};

/** How often the same thing happened to the same object. */
export interface EventSeries {
  readonly about: EventSubject;
  readonly event: ObjectEvent;
  readonly firstAt: number;
  lastAt: number;
  count: number;
}

/** As validated by the server: https://github.com/kubernetes/kubernetes/blob/v1.34.0/pkg/apis/core/validation/events.go */
const longestNoteBytes = 1024;
const longestWord = 128;
const longestName = 253;

/** Masks the texts, cuts them to the limits of the API, and keeps only the identity of a related object. */
export function sanitizeEvent(event: ObjectEvent, redact: Redact): ObjectEvent {
  return {
    ...event,
    reason: redact(event.reason).slice(0, longestWord),
    action: redact(event.action ?? event.reason).slice(0, longestWord),
    message: cut(redact(event.message), longestNoteBytes),
    related: event.related && eventSubject(event.related),
  };
}

/** Only the identity of an object, so that a series, which is kept for minutes, does not keep the whole object in memory. */
export function eventSubject({ apiVersion, kind, metadata }: EventSubject): EventSubject {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } };
}

/** Events with the same key belong to one series. */
export function seriesKey(about: EventSubject, { type, reason, action, message }: ObjectEvent): string {
  return JSON.stringify([objectId(about), type, reason, action, message]);
}

export function objectId({ apiVersion, kind, metadata: { uid, namespace, name } }: EventSubject): string {
  return JSON.stringify([apiVersion, kind, namespace ?? "", name, uid ?? ""]);
}

/** Events of objects without a namespace are kept in `default`, where kubectl looks for them. */
export function eventNamespace({ metadata: { namespace } }: EventSubject): string {
  return namespace ?? "default";
}

/** Made unique by the suffix. Names of other kinds need not be valid here: `system:node` is a ClusterRole. */
export function eventName({ metadata: { name } }: EventSubject, suffix: string): string {
  const isSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
  const base = isSubdomain && name.length + 1 + suffix.length <= longestName ? name : "event";
  return `${base}.${suffix}`;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
export function eventObject(name: string, series: EventSeries, reporter: Reporter): NewObject {
  const { about, event, firstAt, count } = series;
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name, namespace: eventNamespace(about) },
    eventTime: microTime(firstAt),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance.slice(0, longestWord),
    type: event.type,
    reason: event.reason,
    action: event.action,
    note: event.message,
    regarding: referenceTo(about),
    ...(event.related ? { related: referenceTo(event.related) } : {}),
    ...(count > 1 ? seriesFields(series) : {}),
  };
}

export function seriesFields({ count, lastAt }: EventSeries): object {
  return { series: { count, lastObservedTime: microTime(lastAt) } };
}

function referenceTo({ apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } }: EventSubject): object {
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}

function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const ellipsis = "…";
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes - Buffer.byteLength(ellipsis)));
  return `${text.slice(0, read)}${ellipsis}`;
}
