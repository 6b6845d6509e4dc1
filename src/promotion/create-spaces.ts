import { isOwnDefinition, type Kind } from "#crd";
import { keyOf, type KubeObject, type ReflectorOptions } from "#kube";
import {
  type Controller,
  type ControllerSource,
  createController,
  createOptionalReflector,
  filterChanges,
  mapToOwners,
  shareReflector,
  userChanges,
} from "#runtime";
import type { ClaimDeps } from "./environments/claim-deps.ts";
import { phaseOfClaim, readClassState } from "./environments/claim-facts.ts";
import { SpaceBinding } from "./kinds/space-binding.ts";
import { SpaceRequest } from "./kinds/space-request.ts";
import type { PromotionSourcesOptions } from "./promotion-sources.ts";
import { spaceBindingReconciler } from "./spaces/space-binding-reconciler.ts";
import { bySpace, type SpaceDeps, spaceKeysOf } from "./spaces/space-deps.ts";
import { spaceRequestReconciler } from "./spaces/space-request-reconciler.ts";

interface SpacesOptions extends PromotionSourcesOptions {
  /** Watches of EphemeralClaims and EphemeralClasses, which others run too. */
  readonly claims: ControllerSource["reflector"];
  readonly classes: ControllerSource["reflector"];
  readonly deps: ClaimDeps;
}

/** SpaceRequests by their tier, which is the name of a class. */
const byTier = "tier";

/** The controllers of SpaceRequests and SpaceBindings, which are idle where these kinds are those of their operators. */
export function createSpaces({ claims, classes, deps, namespace, ...shared }: SpacesOptions): readonly Controller[] {
  const reflect = ({ crdName, apiVersion, kind }: Kind, indexers: ReflectorOptions["indexers"]) => {
    const selection = { apiVersion, kind, namespace };
    const own = createOptionalReflector({
      ...shared,
      definition: crdName,
      isMeant: isOwnDefinition,
      selection,
      ...(indexers ? { indexers } : {}),
    });
    return { own, shared: shareReflector(own) };
  };
  const requests = reflect(SpaceRequest, { [byTier]: tiersOf });
  const bindings = reflect(SpaceBinding, { [bySpace]: spaceKeysOf });
  const spaces: SpaceDeps = {
    client: deps.client,
    clock: deps.clock,
    requests: requests.shared.store,
    bindings: bindings.shared.store,
    isServed: () => requests.own.isServed && bindings.own.isServed,
    claims: claims.store,
    classes: classes.store,
    classOf: (name) => readClassState(name, deps),
    providerOf: deps.providerOf,
    mayWrite: deps.mayWrite,
  };
  const requestsOf = mapToOwners(SpaceRequest);
  const asking = ({ metadata }: KubeObject): string[] =>
    requests.shared.store.byIndex(byTier, metadata.name).map(keyOf);
  return [
    createController({
      ...shared,
      name: "space-requests",
      reconcile: spaceRequestReconciler(spaces),
      sources: [
        { reflector: filterChanges(requests.shared, userChanges) },
        { reflector: filterChanges(claims, ({ status }) => status), keysOf: requestsOf },
        { reflector: filterChanges(classes, ({ metadata }) => metadata.labels), keysOf: asking },
        read(requests.shared),
      ],
    }),
    createController({
      ...shared,
      name: "space-bindings",
      reconcile: spaceBindingReconciler(spaces),
      sources: [
        { reflector: filterChanges(bindings.shared, userChanges), keysOf: spaceKeysOf },
        { reflector: filterChanges(claims, phaseOfClaim), keysOf: requestsOf },
        { reflector: filterChanges(requests.shared, userChanges) },
        read(bindings.shared),
        read(requests.shared),
        read(classes),
      ],
    }),
  ];
}

/** The controller needs what is in the store of the reflector, and none of its changes. */
function read(reflector: ControllerSource["reflector"]): ControllerSource {
  return { reflector, keysOf: () => [] };
}

function tiersOf({ spec }: KubeObject): string[] {
  const tier = typeof spec === "object" && spec !== null && "tierName" in spec ? spec.tierName : undefined;
  return typeof tier === "string" ? [tier] : [];
}
