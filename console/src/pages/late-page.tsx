import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { EmptyState, Loading } from "../parts/notices.tsx";

/** A page whose script is loaded when it is first shown, so that the first page stays light. */
export function latePage(load: () => Promise<ComponentType>): ComponentType {
  // After an update of the console, the script that an older page knows is gone.
  const Late = lazy(async () => ({ default: await load().catch(() => Outdated) }));
  return function LatePage(): ReactNode {
    return (
      <Suspense fallback={<Loading />}>
        <Late />
      </Suspense>
    );
  };
}

function Outdated(): ReactNode {
  return (
    <EmptyState title="This page could not be loaded">
      <p>The console may have been updated, or does not answer.</p>
      <button type="button" onClick={() => window.location.reload()}>
        Load it again
      </button>
    </EmptyState>
  );
}
