import { compareText } from "#base";
import type { KubeObject } from "#kube";
import { done, type Reconciler, trackStatus } from "#runtime";
import { readClaim } from "../environments/claim-facts.ts";
import type { SpaceUsers } from "../environments/environment-provider.ts";
import { SpaceBinding, type SpaceRole } from "../kinds/space-binding.ts";
import { policyVersion } from "../policies/admission-policy.ts";
import { spaceBindingPolicyName } from "../policies/space-binding-policy.ts";
import { claimRefOfSpace, isClaimOf, withoutStatus } from "./space-claim.ts";
import { bySpace, type SpaceDeps } from "./space-deps.ts";

/**
 * Gives the users of all SpaceBindings of a space their roles in it, and takes them from everyone else. Keys are those of
 * SpaceRequests: what is to be taken away is found in the space, so that a SpaceBinding needs no finalizer.
 */
export function spaceBindingReconciler(deps: SpaceDeps): Reconciler {
  const { client, clock, bindings, mayWrite } = deps;
  return async function reconcileSpaceBindings(key, signal) {
    if (!deps.isServed() || !mayWrite()) return done;
    const asking = bindings.byIndex(bySpace, key).filter(({ metadata }) => !metadata.deletionTimestamp);
    const problem = await findProblem(key, asking, deps, signal);
    for (const object of asking) {
      await using status = trackStatus(object, client, { clock, mayWrite });
      const reason = problem === undefined ? "Provisioned" : "Provisioning";
      const message = problem ?? "the user has the role";
      status.setCondition({ type: "Ready", status: problem === undefined ? "True" : "False", reason, message });
    }
    return done;
  };
}

/** Brings the roles into the space; the answer says why that could not be done. */
async function findProblem(
  key: string,
  asking: readonly KubeObject[],
  deps: SpaceDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  const request = deps.requests.get(key);
  if (!request) return `SpaceRequest ${key} not found`;
  const { namespace, name } = claimRefOfSpace(request);
  const object = deps.claims.get(`${namespace}/${name}`);
  if (!object || !isClaimOf(object, request)) return `SpaceRequest ${key} is not ready yet`;
  const claim = readClaim(object);
  const state = deps.classOf(claim.spec.className);
  if (claim.status?.phase !== "Ready" || state.kind !== "usable") return `SpaceRequest ${key} is not ready`;
  const isHeld = asking.length === 0 || (await isPolicyInstalled(deps, signal));
  const provider = await deps.providerOf(state.settings, signal);
  await provider.share({ uid: claim.metadata.uid ?? "" }, isHeld ? usersOf(asking) : {}, state.settings, signal);
  if (isHeld) return undefined;
  return `the policy ${spaceBindingPolicyName} is not installed: start \`tenon run\` with --install-crds, or install charts/tenon`;
}

function usersOf(asking: readonly KubeObject[]): SpaceUsers {
  const specs = asking.map((object) => SpaceBinding.parse(withoutStatus(object)).spec);
  const having = (role: SpaceRole): string[] => {
    const names = specs.filter(({ spaceRole }) => spaceRole === role).map(({ masterUserRecord }) => masterUserRecord);
    return [...new Set(names)].toSorted(compareText);
  };
  return { admin: having("admin"), viewer: having("viewer") };
}

async function isPolicyInstalled({ client }: SpaceDeps, signal: AbortSignal): Promise<boolean> {
  const kinds = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];
  const refs = kinds.map((kind) => ({ apiVersion: policyVersion, kind, name: spaceBindingPolicyName }));
  const found = await Promise.all(refs.map((ref) => client.find(ref, signal)));
  return found.every((object) => object !== undefined);
}
