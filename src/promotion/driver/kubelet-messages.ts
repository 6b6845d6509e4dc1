import { decodeFields, encodeBytes, encodeText, type WireField } from "./protobuf.ts";

/** A ResourceClaim, as the kubelet names it. */
export interface ClaimName {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A device of a claim that is ready, and what the container runtime adds to the containers that use it. */
export interface PreparedDevice {
  readonly requests: readonly string[];
  readonly pool: string;
  readonly device: string;
  readonly cdiDevices: readonly string[];
}

/** What became of a claim. */
export type ClaimOutcome<Value> = { readonly value: Value } | { readonly error: string };

/**
 * NodePrepareResourcesRequest and NodeUnprepareResourcesRequest:
 * https://github.com/kubernetes/kubernetes/blob/v1.37.1/staging/src/k8s.io/kubelet/pkg/apis/dra/v1/api.proto
 */
export function decodeClaimNames(message: Buffer): ClaimName[] {
  return decodeFields(message)
    .filter(({ number }) => number === 1)
    .map((field) => {
      const fields = decodeFields(bytesOf(field));
      return { namespace: textIn(fields, 1), uid: textIn(fields, 2), name: textIn(fields, 3) };
    });
}

export function encodePrepared(outcomes: ReadonlyMap<string, ClaimOutcome<readonly PreparedDevice[]>>): Buffer {
  return encodeOutcomes(outcomes, (outcome) =>
    "error" in outcome
      ? encodeText(2, outcome.error)
      : Buffer.concat(outcome.value.map((device) => encodeBytes(1, encodeDevice(device)))),
  );
}

export function encodeUnprepared(outcomes: ReadonlyMap<string, ClaimOutcome<undefined>>): Buffer {
  return encodeOutcomes(outcomes, (outcome) => ("error" in outcome ? encodeText(1, outcome.error) : Buffer.alloc(0)));
}

function encodeDevice({ requests, pool, device, cdiDevices }: PreparedDevice): Buffer {
  return Buffer.concat([
    ...requests.map((request) => encodeText(1, request)),
    encodeText(2, pool),
    encodeText(3, device),
    ...cdiDevices.map((id) => encodeText(4, id)),
  ]);
}

/** A map is a list of messages with a key and a value. */
function encodeOutcomes<Outcome>(outcomes: ReadonlyMap<string, Outcome>, encode: (outcome: Outcome) => Buffer): Buffer {
  return Buffer.concat(
    [...outcomes].map(([uid, outcome]) =>
      encodeBytes(1, Buffer.concat([encodeText(1, uid), encodeBytes(2, encode(outcome))])),
    ),
  );
}

/** What a plugin says of itself. */
export interface PluginInfo {
  readonly name: string;
  /** The socket of its services. */
  readonly endpoint: string;
  readonly services: readonly string[];
}

/** https://github.com/kubernetes/kubernetes/blob/v1.37.1/staging/src/k8s.io/kubelet/pkg/apis/pluginregistration/v1/api.proto */
export function encodePluginInfo({ name, endpoint, services }: PluginInfo): Buffer {
  return Buffer.concat([
    encodeText(1, "DRAPlugin"),
    encodeText(2, name),
    encodeText(3, endpoint),
    ...services.map((service) => encodeText(4, service)),
  ]);
}

/** Why the kubelet did not take the plugin; undefined if it did. */
export function decodeRegistration(message: Buffer): string | undefined {
  const fields = decodeFields(message);
  if (fields.some(({ number, value }) => number === 1 && value === 1n)) return undefined;
  return textIn(fields, 2) || "the kubelet does not say why";
}

function textIn(fields: readonly WireField[], number: number): string {
  const field = fields.findLast((each) => each.number === number);
  return field ? bytesOf(field).toString("utf8") : "";
}

function bytesOf({ number, value }: WireField): Buffer {
  if (typeof value === "bigint") throw new RangeError(`expected bytes in field ${number}, got a number`);
  return value;
}
