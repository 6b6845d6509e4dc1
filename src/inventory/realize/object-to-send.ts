import type { Clock } from "#base";
import { isKubeObject, type KubeObject } from "#kube";
import type { Action } from "../plan/plan.ts";
import { mapAt, without } from "../resource/exact.ts";
import { foldStringData } from "../resource/fold-string-data.ts";
import { stampTime } from "../resource/openshift-resource.ts";
import { clusterScope } from "../resource-inventory.ts";
import { NotDone } from "./outcome.ts";

const serverFields = new Set(["managedFields", "resourceVersion", "uid"]);

/**
 * The object that an action applies, with the time and its namespace. A Secret's `stringData` goes as `data`: the server does not
 * keep who wrote it otherwise, and keys that are left out later would stay.
 */
export function objectToSend({ body, namespace, name }: Action, clock: Pick<Clock, "now">): KubeObject {
  if (!body) {
    throw new NotDone(
      "refused",
      "the plan does not contain the object",
      "plan again where the desired objects are available",
    );
  }
  const stamped = stampTime(body["kind"] === "Secret" ? foldStringData(body) : body, new Date(clock.now()));
  const metadata = without(mapAt(stamped, "metadata"), (key) => serverFields.has(key));
  const place = namespace === clusterScope ? {} : { namespace };
  const object: unknown = { ...stamped, metadata: { name, ...metadata, ...place } };
  if (!isKubeObject(object)) throw new TypeError("the body of an action is an object of Kubernetes");
  return object;
}
