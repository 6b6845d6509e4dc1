import { createHash } from "node:crypto";
import { z } from "zod";
import { InputError, parseDuration } from "#base";
import { describeRef, type KubeObject, refOf } from "#kube";
import { EphemeralClaim } from "../kinds/ephemeral-claim.ts";
import { environmentDriver, resourceClaimLabel } from "./driver-names.ts";

/** One device of a ResourceClaim, and what is asked of the driver. */
export interface AllocatedEnvironment {
  readonly request: string;
  readonly pool: string;
  readonly device: string;
  /** The EphemeralClass, as the DeviceClass names it. */
  readonly className: string;
  readonly ttl?: string;
  readonly scope: EnvironmentScope;
}

/** Whose environment it is: the pod's alone, or that of all pods of a PipelineRun. */
const environmentScopes = ["Pod", "PipelineRun"] as const;
export type EnvironmentScope = (typeof environmentScopes)[number];

const scope = z.enum(environmentScopes).exactOptional();
const ttl = z
  .string()
  .refine((text) => parseDuration(text) !== undefined, "expected a duration, such as 30m")
  .exactOptional();
/** The author of a DeviceClass decides on the class of the environments; a claim does not. */
const ClassParameters = z.strictObject({ className: z.string().min(1), ttl, scope });
const ClaimParameters = z.strictObject({ ttl, scope });

const Config = z.object({
  source: z.enum(["FromClass", "FromClaim"]),
  requests: z.array(z.string()).default([]),
  opaque: z.object({ driver: z.string(), parameters: z.unknown() }).exactOptional(),
});

const Allocation = z.object({
  devices: z.object({
    results: z
      .array(z.object({ request: z.string(), driver: z.string(), pool: z.string(), device: z.string() }))
      .default([]),
    config: z.array(Config).default([]),
  }),
});

const Allocated = z.object({ status: z.object({ allocation: Allocation }) });

/** What the scheduler gave a ResourceClaim of this driver. */
export function readAllocation(resourceClaim: KubeObject): AllocatedEnvironment {
  const where = describeRef(refOf(resourceClaim));
  const allocated = Allocated.safeParse(resourceClaim);
  if (!allocated.success) throw new InputError("the claim is not allocated", { where });
  const { results, config } = allocated.data.status.allocation.devices;
  const [result, ...others] = results.filter(({ driver }) => driver === environmentDriver);
  if (!result) throw new InputError(`no device of the claim is one of ${environmentDriver}`, { where });
  if (others.length > 0) {
    throw new InputError(`the claim asks for ${others.length + 1} environments, and a claim is for one`, {
      where,
      next: "ask for one device, and use further claims for further environments",
    });
  }
  const { request, pool, device } = result;
  const own = config.filter(
    ({ requests, opaque }) =>
      opaque?.driver === environmentDriver && (requests.length === 0 || requests.some((name) => isOf(name, request))),
  );
  const parametersOf = (source: "FromClass" | "FromClaim") =>
    own.findLast((each) => each.source === source)?.opaque?.parameters;
  const fromClass = readParameters(ClassParameters, parametersOf("FromClass") ?? {}, "of the DeviceClass", where);
  const fromClaim = readParameters(ClaimParameters, parametersOf("FromClaim") ?? {}, "of the claim", where);
  return { request, pool, device, scope: "Pod", ...fromClass, ...fromClaim };
}

/** The name of a request of several alternatives is `request/alternative`. */
function isOf(name: string, request: string): boolean {
  return name === request || request.startsWith(`${name}/`);
}

function readParameters<Parameters>(
  schema: z.ZodType<Parameters>,
  parameters: unknown,
  whose: string,
  where: string,
): Parameters {
  const read = schema.safeParse(parameters);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
  throw new InputError(`the parameters ${whose} for ${environmentDriver} are wrong: ${problems.join("; ")}`, {
    where,
    next: "a DeviceClass names className, and may give ttl and scope (Pod or PipelineRun); a claim may give ttl and scope",
  });
}

const runLabel = "tekton.dev/pipelineRun";

/** The PipelineRun of a pod, as Tekton labels it. */
export function pipelineRunOf({ metadata: { labels = {} } }: KubeObject): string | undefined {
  return labels[runLabel];
}

/**
 * The claim that gives a ResourceClaim its environment; the same each time. One for a pod belongs to the ResourceClaim, and
 * Kubernetes deletes it with that. One for a PipelineRun belongs to the run, and outlives the pods.
 */
export function planEnvironmentClaim(
  { metadata: { name, namespace = "", uid = "" } }: KubeObject,
  { className, ttl: lifetime, scope: of }: AllocatedEnvironment,
  pipelineRun: string | undefined,
): KubeObject {
  const spec = { className, ...(lifetime === undefined ? {} : { ttl: lifetime }) };
  const { apiVersion, kind } = EphemeralClaim;
  if (of === "Pod") {
    return {
      apiVersion,
      kind,
      metadata: {
        name: podClaim(uid),
        namespace,
        labels: { [resourceClaimLabel]: uid },
        ownerReferences: [{ apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", name, uid }],
      },
      spec,
    };
  }
  if (pipelineRun === undefined) {
    throw new InputError("the claim is for a PipelineRun, and its pod is not one of a PipelineRun", {
      where: `ResourceClaim ${namespace}/${name}`,
      next: `set scope: Pod in its parameters, or leave it out; the pods of a run have the label ${runLabel}`,
    });
  }
  return {
    apiVersion,
    kind,
    metadata: { name: `run-${shortHash(pipelineRun, className)}`, namespace },
    spec: { ...spec, ownerRef: { kind: "PipelineRun", name: pipelineRun } },
  };
}

/** The name of the claim of a ResourceClaim's own environment. */
export function podClaim(resourceClaimUid: string): string {
  return `pod-${shortHash(resourceClaimUid)}`;
}

/** A claim that is there already is used if it asks for the same. */
export function isSameClaim(wanted: KubeObject, found: KubeObject): boolean {
  const essence = ({ metadata: { labels = {} }, spec }: KubeObject): string => {
    const { className, ownerRef } = EphemeralClaim.parse({ ...wanted, spec }).spec;
    return JSON.stringify([className, ownerRef?.kind, ownerRef?.name, labels[resourceClaimLabel]]);
  };
  return essence(wanted) === essence(found);
}

function shortHash(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 16);
}
