import { valueAt } from "#base";
import type { OpenshiftResource } from "#inventory";

const stamp = "tenon.dev/integration";
/** What upstream's chart puts before the integration's name. */
const prefix = "qontract-reconcile-";

/** To which integration an object on a cluster belongs, as far as it tells; upstream's say it by a label only. */
export function liveAttribution(names: ReadonlySet<string>): (resource: OpenshiftResource) => string | undefined {
  return (resource) => {
    const stamped = resource.annotation(stamp);
    if (stamped !== undefined) return stamped;
    const labels = valueAt(resource.body, ["metadata", "labels"]);
    const label = (key: string): unknown => valueAt(labels, [key]);
    const [marked, app] = [label(stamp), label("app")];
    if (typeof marked === "string") return marked;
    if (typeof app !== "string") return undefined;
    if (names.has(app)) return app;
    return app.startsWith(prefix) ? app.slice(prefix.length) : undefined;
  };
}
